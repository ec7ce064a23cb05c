// From disk, a page may not read other pages: search shows titles without passages
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// The theme's buttons that unfold a part of the navigation have no name
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("nav summary").forEach((button) => {
    button.ariaLabel = "Pages below";
  });
});
