#!/bin/bash
# sut-tiphys.sh up|down : Tiphys as the server under test of Argo CD's own end-to-end suite. The harness names its folder in
# E2E_HOME; three processes, `controller`, `api-server` and `notifications`, play all of Argo CD's. The suite restarts `controller` by that name.
. "$E2E_HOME/env.sh"
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
D=/tmp/argo-e2e/app/config
part() { # NAME ROLE [PORTS-OF-METRICS] [COMMAND BEFORE]
  proc_def "$1" sut <<E
cd $ROOT
export KUBECONFIG=$KUBECONFIG HOME=$HOME PATH=$PATH NO_COLOR=1 XDG_CONFIG_HOME=$E2E_ROOT/tiphys-config
export ARGOCD_APPLICATIONSET_CONTROLLER_NAMESPACES=argocd-e2e-external,argocd-e2e-external-2
export ARGOCD_APPLICATIONSET_CONTROLLER_TOKENREF_STRICT_MODE=true ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_PROGRESSIVE_SYNCS=true
export ARGOCD_APPLICATIONSET_CONTROLLER_ALLOWED_SCM_PROVIDERS=http://127.0.0.1:8341,http://127.0.0.1:8342,http://127.0.0.1:8343,http://127.0.0.1:8344
export TIPHYS_OUTBOUND=loopback,private ARGOCD_PLUGINSOCKFILEPATH=$D/plugin ARGOCD_TLS_DATA_PATH=$D/tls ARGOCD_SSH_DATA_PATH=$D/ssh ARGOCD_APPLICATION_NAMESPACES=argocd-e2e-external,argocd-e2e-external-2
${4:-}
exec node_modules/.bin/node packages/serve/cli/main.ts up --role $2 --kubeconfig $KUBECONFIG --namespace argocd-e2e --port $SUT_PORT ${3:+--metrics-ports $3} --local-repositories /tmp/argo-e2e
E
}
up() {
  mkdir -p "$E2E_SRC/dist" $D/{tls,ssh,gpg/source,gpg/keys,plugin}
  ln -sfn "${E2E_CLI:-$E2E_BIN/argocd}" "$E2E_SRC/dist/argocd"
  rm -f /tmp/argocd-e2e-env; rm -rf "$PROCS/sut"
  proc_def redis sut <<<"exec redis-server --save '' --appendonly no --bind 127.0.0.1 --port 6379"
  part controller controller 8082,8083,8084 '[ -f /tmp/argocd-e2e-env ] && . /tmp/argocd-e2e-env'
  part api-server server 8082,8083,8085
  part notifications notifications ''
  group_start sut
  wait_for 120 curl -fsS http://127.0.0.1:8082/healthz || { tail -5 "$LOGS/controller.log"; exit 1; }
  wait_for 120 curl -fsS http://127.0.0.1:$SUT_PORT/healthz || { tail -5 "$LOGS/api-server.log"; exit 1; }
  wait_for 120 curl -fsS http://127.0.0.1:9001/metrics || { tail -5 "$LOGS/notifications.log"; exit 1; }
  say "tiphys up on port $SUT_PORT"
}
case "$1" in
  up) up ;;
  down) group_stop sut; rm -f /tmp/argocd-e2e-env; say "tiphys down" ;;
  *) echo "usage: $0 up|down"; exit 2 ;;
esac
