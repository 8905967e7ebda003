// Checks the layout of Lua files with StyLua, or writes it with -w.
const fs = require('fs')
const { formatCode, Config, IndentType, QuoteStyle, OutputVerification } = require('@johnnymorganz/stylua')

const names = process.argv.slice(2).filter((a) => a !== '-w')
const write = process.argv.includes('-w')

// formatCode takes its configuration away, so each file needs one of its own.
function layout() {
  const config = Config.new()
  config.column_width = 120
  config.indent_type = IndentType.Spaces
  config.indent_width = 2
  config.quote_style = QuoteStyle.AutoPreferSingle
  return config
}

const wrong = names.filter((name) => {
  const before = fs.readFileSync(name, 'utf8')
  const after = formatCode(before, layout(), undefined, OutputVerification.Full)
  if (write && after !== before) fs.writeFileSync(name, after)
  return after !== before
})
if (wrong.length > 0 && !write) {
  console.error('StyLua would change (.ci/lua -w does it):', wrong.join(' '))
  process.exit(1)
}
