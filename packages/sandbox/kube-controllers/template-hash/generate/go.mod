module tiphys/template-types

go 1.24

require k8s.io/api v0.34.4
