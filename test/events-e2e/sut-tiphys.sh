#!/bin/bash
# sut-tiphys.sh up|down|logs : the system under test of the peers' suite of events, here Tiphys in the place of Argo Events' controller.
# Needs an image tiphys:e2e that is loaded into the cluster (see README.md), and $E2E_HOME with env.sh of the suite.
. "$E2E_HOME/env.sh"
image=${TIPHYS_IMAGE:-tiphys:e2e}
case ${1:-} in
up) set -e
  kubectl -n $NS apply -f - <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: controller-manager, labels: {app: controller-manager}}
spec:
  replicas: 1
  selector: {matchLabels: {app: controller-manager}}
  template:
    metadata: {labels: {app: controller-manager}}
    spec:
      serviceAccountName: argo-events-sa
      containers:
        - name: controller-manager
          image: $image
          imagePullPolicy: IfNotPresent
          args: [up, --role, events, --namespace, $NS, --host, 0.0.0.0]
          env:
            - {name: TIPHYS_EVENTS_DEPLOYMENT, value: dedicated}
            - {name: ARGO_EVENTS_IMAGE, value: "$image"}
            - {name: IMAGE_PULL_POLICY, value: IfNotPresent}
YAML
  kubectl -n $NS rollout status deploy/controller-manager --timeout=120s
  [ "${E2E_WEBHOOK:-1}" = 1 ] || exit 0
  kubectl -n $NS apply -f - <<YAML
apiVersion: v1
kind: Service
metadata: {name: events-webhook}
spec: {selector: {app: events-webhook}, ports: [{port: 443, targetPort: 8443}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: events-webhook, labels: {app: events-webhook}}
spec:
  replicas: 1
  selector: {matchLabels: {app: events-webhook}}
  template:
    metadata: {labels: {app: events-webhook}}
    spec:
      serviceAccountName: argo-events-webhook-sa
      containers:
        - name: webhook
          image: $image
          imagePullPolicy: IfNotPresent
          args: [events, webhook, --namespace, $NS]
          env: [{name: PORT, value: "8443"}]
YAML
  kubectl -n $NS rollout status deploy/events-webhook --timeout=120s
  wait_for 60 kubectl get validatingwebhookconfiguration webhook.argo-events.argoproj.io ;;
down)
  kubectl delete validatingwebhookconfiguration webhook.argo-events.argoproj.io --ignore-not-found
  kubectl -n $NS delete deploy/controller-manager deploy/events-webhook service/events-webhook --ignore-not-found ;;
logs) kubectl -n $NS logs deploy/controller-manager --tail="${2:-200}" ;;
*) sed -n 2,3p "$0"; exit 2 ;;
esac
