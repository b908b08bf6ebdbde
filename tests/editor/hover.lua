-- SPDX-License-Identifier: Apache-2.0
-- Neovim asks `swz lsp` (SWZ) about the file of tests/editor/neovim.sh: hover over a word, and the marks.
--
--   nvim --headless -u NONE -c 'luafile tests/editor/hover.lua' kernel.cu
--
-- Prints what is wrong and leaves with 1, or "editor: ok".
local function fail(what)
  io.stderr:write('tests/editor: ' .. what .. '\n')
  vim.cmd('cquit 1')
end

local id = vim.lsp.start_client({ name = 'swz', cmd = { vim.env.SWZ, 'lsp' } })
if not id then fail('the server does not start') end
vim.lsp.buf_attach_client(0, id)
if not vim.wait(10000, function() return vim.lsp.buf_get_clients(0)[id] ~= nil end) then fail('no handshake') end

local function hover(line, character)
  local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 10000)
  local answer = answers and answers[id]
  if not answer or answer.err then fail('no answer to hover') end
  return answer.result and answer.result.contents.value or ''
end

if not hover(0, 35):find('swz decode 0x4000004000010042', 1, true) then fail('hover over the word: ' .. hover(0, 35)) end
if not hover(1, 20):find('swz swizzle explain 3,4,3', 1, true) then fail('hover over Swizzle') end
if hover(0, 2) ~= '' then fail('hover over nothing') end

local function marks() return vim.diagnostic.get(0) end
if not vim.wait(10000, function() return #marks() > 0 end) then fail('no mark') end
if marks()[1].lnum ~= 2 then fail('the mark is on line ' .. marks()[1].lnum) end

vim.lsp.stop_client(id)
io.stdout:write('editor: ok\n')
vim.cmd('quitall!')
