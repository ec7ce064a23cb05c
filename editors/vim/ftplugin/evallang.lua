-- Starts the language server for studies in Neovim 0.7 or newer. Another command than the
-- `evallang` of the path: vim.g.evallang_command = { "/path/to/evallang", "lsp" }
local command = vim.g.evallang_command or { "evallang", "lsp" }
if vim.fn.executable(command[1]) == 0 then
  return
end
local settings = { name = "evallang", cmd = command, root_dir = vim.fn.expand("%:p:h") }
if vim.lsp.start then
  vim.lsp.start(settings)
else
  evallang_client = evallang_client or vim.lsp.start_client(settings)
  vim.lsp.buf_attach_client(0, evallang_client)
end
vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc"
