package commands

// attacks are lines that two readers have once read differently.
var attacks = []string{
	"true # \\\nzap", "mk \"\"", "mk # a\\\nzap", "mk \\\r\nzap", "mk a\\\r\nzap", "mk a #\\\r\nzap", "mk 'a\r\n'; zap",
	"mk; cat <<X", "mk <<X\nzap", "sh <<X\nzap\nX", "alias m=zap\nm", "$(echo zap)", "`echo zap`", "mk\rzap", "mk \x0bzap", "mk\u00a0zap", "mk à zap",
	"mk \\\n# \\\nzap", "mk;#\\\nzap", "mk &&#\\\nzap", "mk |#\\\nzap", "(mk)#\\\nzap", "mk <<X\na\\\nX\nzap\nX", "mk <<X #\\\na\nX\nzap",
	"10>f zap", "mk 10>&1", "mk {x}>f", "x+=1 zap", "x[0]=1 zap", "time zap", "coproc zap", "coproc x+=1 zap", "mk \"a\\\nb\"", "mk a\\\nb", "m\\\nk", "mk &\\\n& zap", "mk |\\\n| zap", "mk \\\n; zap",
	"mk $(mk # )\nzap)", "mk `mk # `\nzap", "mk `mk \\\\\n`; zap", "case a in (a) mk;; esac", "case a in a) zap # )\n;; esac", "mk ${x:-'}'; zap; mk '}",
	"mk ${x:-\"}\"}; zap", "mk ${x:+`zap`}", "mk ${x:->(zap)}", "mk t\t${x:-$>(zap)}", "mk $x${x#<(zap)}", "mk \"${x:-'}\"; zap; mk \"'}\"", "mk $((1 # 2\n))", "mk $(( (zap) ))", "mk $( (zap) )", "((zap))", "( (zap) )", "mk $((zap); mk)",
	"sh -c 'mk; zap'", "eval 'mk #' zap", "eval 'mk #\n' zap", "echo 'zap' | sh", "echo zap | xargs env", "find . -exec zap {} \\;", "env x=1 zap", "x=zap; $x", "PATH=.; mk",
	"mk <<'X'\n$(zap)\nX", "mk <<X\n$(zap)\nX", "mk <<X\n`zap`\nX", "mk <<\"X\"\na\nX\nzap", "mk <<X\"\"\na\nX\nzap", "mk <<X; zap\na\nX", "fn() { zap; }; fn", "mk() zap\nmk",
	"if zap; then mk; fi", "! zap", "!zap", "! ! zap", "{ zap; }", "{zap;}", "mk&zap", "mk&&zap", "mk;zap", "mk|zap", "mk|&zap", "mk>&f zap", "mk &>f zap", ">f zap", "<f zap", "2>&1 zap", ">&-zap ok", "<&-zap", "2>&-zap ok >f", ">& -zap", ">& '$(zap)'", "mk >& '`zap`'", "mk >&'<(zap)'", "mk >& mk\\$\\(zap\\)", "mk 1>& \"\\$(zap)\"", ">&-'' zap", "mk &&\nzap", "mk |\nzap",
}
