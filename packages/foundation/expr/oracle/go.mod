module tiphys.dev/expr-oracle

go 1.24

require github.com/expr-lang/expr v1.17.8
