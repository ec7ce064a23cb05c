" Written by `python -m docs.generator` from the table of the language: do not edit.
autocmd BufRead,BufNewFile *.eval,*.evallang if getline(1) !~# '^PK' | setfiletype evallang | endif
