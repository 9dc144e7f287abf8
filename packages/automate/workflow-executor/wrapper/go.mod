module tiphys.dev/workflow-executor

go 1.19
