std = 'luajit'
cache = false
max_line_length = false
globals = { 'vim' }
