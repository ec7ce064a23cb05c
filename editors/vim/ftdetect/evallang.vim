" Written by `python -m docs.generator` from the table of the language: do not edit.
autocmd BufRead,BufNewFile *.eval setfiletype evallang
