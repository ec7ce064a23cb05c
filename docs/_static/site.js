// From disk, a page may not read other pages: search shows titles without passages
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
