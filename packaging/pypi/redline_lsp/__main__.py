from redline_lsp import main

main()
