#!/bin/bash
# sut-tiphys.sh up|down : Tiphys as the system under test of Argo Workflows' own end-to-end suite. The harness names its folder in E2E_HOME.
# SUT_SERVER=argo puts upstream's server beside our controller, SUT_CONTROLLER=argo upstream's controller beside our server.
. "$E2E_HOME/env.sh"
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${SUT_CONTROLLER:=tiphys}" "${SUT_SERVER:=tiphys}"
tiphys="$ROOT/node_modules/.bin/node $ROOT/packages/serve/cli/main.ts"
common="HOME=$HOME PATH=$PATH NO_COLOR=1 KUBECONFIG=$KUBECONFIG TIPHYS_OUTBOUND=loopback,private XDG_CONFIG_HOME=$E2E_ROOT/config \
 ARGO_NAMESPACE=argo ARGO_NAMESPACED=true ARGO_MANAGED_NAMESPACE=argo ALWAYS_OFFLOAD_NODE_STATUS=${ALWAYS_OFFLOAD_NODE_STATUS:-false}"
up() {
  local plugins=false; [ "${E2E_PROFILE:-}" != plugins ] || plugins=true
  mkdir -p "$E2E_ROOT/config"
  if [ $SUT_CONTROLLER = tiphys ]; then
    proc_start controller env -i $common ARCHIVED_WORKFLOW_GC_PERIOD=30s ARGO_PROGRESS_PATCH_TICK_DURATION=7s ARGO_REMOVE_PVC_PROTECTION_FINALIZER=true \
      DEFAULT_REQUEUE_TIME=1s OFFLOAD_NODE_STATUS_TTL=30s WORKFLOW_GC_PERIOD=30s ARGO_POD_STATUS_CAPTURE_FINALIZER=true \
      ARGO_EXECUTOR_IMAGE=${SUT_EXECUTOR_IMAGE:-quay.io/argoproj/argoexec:latest} \
      ARGO_EXECUTOR_PLUGINS=$plugins ARGO_WORKFLOW_LEVEL_EXECUTOR_PLUGINS=$plugins \
      $tiphys up --role workflows --kubeconfig "$KUBECONFIG" --namespace argo
  else
    proc_start controller env -i $common LEADER_ELECTION_IDENTITY=e2e DEFAULT_REQUEUE_TIME=1s ARGO_POD_STATUS_CAPTURE_FINALIZER=true \
      workflow-controller --executor-image quay.io/argoproj/argoexec:latest --executor-image-pull-policy IfNotPresent
  fi
  if [ $SUT_SERVER = tiphys ] && grep -q "'workflows-server'" "$ROOT/packages/serve/cli/up/families/families.ts"; then
    proc_start server env -i $common ARGO_VERSION=${SUT_VERSION:-v4.1.2} CI_ONLY_DISABLE_ARTIFACT_SERVER_CHECKS=true ARGO_AUTH_MODE=client \
      $tiphys up --role workflows-server --kubeconfig "$KUBECONFIG" --namespace argo --port 2746
  else
    proc_start server env -i $common CI_ONLY_DISABLE_ARTIFACT_SERVER_CHECKS=true \
      argo server --secure=false --auth-mode=client --namespaced --managed-namespace argo
  fi
  wait_for 120 answers 9090/metrics && wait_for 120 answers 2746/ || { tail -5 "$LOGS/controller.log" "$LOGS/server.log"; exit 1; }
  say "tiphys up"
}
# any answer will do, by http or https
answers() { curl -sk "https://localhost:$1" -o /dev/null || curl -s "http://localhost:$1" -o /dev/null; }
case ${1:-} in
  up) up ;;
  down) proc_stop server; proc_stop controller; say "tiphys down" ;;
  *) sed -n 2,3p "$0"; exit 2 ;;
esac
