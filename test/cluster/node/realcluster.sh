#!/bin/bash
# realcluster.sh up|down|status|reset|load FILE.tar...|node CMD...|ctr ARGS...|logs NAME|fake N (N kwok nodes beside the real one)
#   RC_FAKE=1 realcluster.sh up : control plane and one kwok node only, no containerd/kubelet (pods are simulated)
# A one-node real Kubernetes cluster without systemd or docker.
#   host side  : etcd, kube-apiserver, kube-controller-manager, kube-scheduler, all on 127.0.0.1,
#                plus tcpfwd 10.201.0.1:6443 -> 127.0.0.1:6443 on the host end of a private veth pair
#   "node" side: its own mount+net+pid+uts namespaces, held open by one anchor process (pause, PID 1 there);
#                containerd, kubelet, kube-proxy, bridge CNI and all containers live inside.
#                Killing the anchor ends every container, shim, mount, bridge and iptables rule at once.
# Nothing listens on eth0; ip_forward and iptables of the host are not touched.
set -u
RC=${RC_DIR:-/tmp/rc}; LIB=${RC_LIB:-/var/lib/rc}; BIN=${RC_BIN:-${XDG_CACHE_HOME:-$HOME/.cache}/realcluster/bin}
HERE=$(cd "$(dirname "$0")" && pwd)
CG=${RC_CGROUP:-}   # cgroup of this node's pods below the root, such as /node1: kubelets that share one end each other's containers
API=${RC_API_PORT:-6443}; ETCD=${RC_ETCD_PORT:-12379}; ETCDP=${RC_ETCD_PEER_PORT:-12380}
KCM=${RC_KCM_PORT:-10257}; SCH=${RC_SCHED_PORT:-10259}
HIP=10.201.0.1; NIP=10.201.0.2; PODNET=10.244.0.0/24; SVCNET=10.96.0.0/16; DNSIP=10.96.0.10
NODE=rc-node; PKI=$RC/pki; RUN=$RC/run; LOG=$RC/log
PAUSE=registry.k8s.io/pause:3.10
export KUBECONFIG=$RC/admin.kubeconfig
K="$BIN/kubectl"
PATH=$PATH:/usr/sbin:/sbin

now() { date +%s%N; }
ms() { echo $(( ($(now) - $1) / 1000000 )); }
say() { printf '%-28s %s\n' "$1" "$2"; }
# a pid file holds "PID STARTTIME": a pid used again by another process, even one of the same name, is never taken for ours
stime() { local x; x=$(cat /proc/$1/stat 2>/dev/null) || return 1; x=${x##*) }; set -- $x; echo ${20}; }
record() { echo "$2 $(stime $2)" > $RUN/$1.pid; }
pidof_() { local p x; [ -e $RUN/$1.pid ] || return 1; read -r p x 2>/dev/null < $RUN/$1.pid && echo $p; }
alive() { local p x; [ -e $RUN/$1.pid ] || return 1; read -r p x 2>/dev/null < $RUN/$1.pid && [ -n "$x" ] && [ "$(stime $p)" = "$x" ]; }
die() { echo "FAILED: $*" >&2; exit 1; }
waitfor() { # NAME SECONDS CMD...
  local n=$1 s=$2 e; shift 2; e=$(( $(date +%s) + s ))
  until "$@" >/dev/null 2>&1; do [ $(date +%s) -lt $e ] || return 1; sleep 0.1; done; }
start() { # NAME CMD... : on the host
  local n=$1; shift; alive $n && return 0
  setsid nohup "$@" >>$LOG/$n.log 2>&1 </dev/null & record $n $!; }
node() { local a; alive anchor || die "node is not up"; a=$(pidof_ anchor); nsenter -t $a -m -n -p -u -- "$@"; }
nstart() { # NAME CMD... : inside the node namespaces; the pid file holds the host-side pid of the program itself
  local n=$1 w p i a; shift; alive $n && return 0; a=$(pidof_ anchor)
  setsid nohup nsenter -t $a -m -n -p -u -- "$@" >>$LOG/$n.log 2>&1 </dev/null & w=$!
  for i in $(seq 50); do p=$(pgrep -P $w | head -1); [ -n "$p" ] && break; sleep 0.05; done
  record $n ${p:-$w}; }
stop() { # NAME [SECONDS]
  local n=$1 p i s=$(now); p=$(pidof_ $n); [ -n "$p" ] || return 0
  if alive $n; then kill $p 2>/dev/null
    for i in $(seq $(( ${2:-10} * 10 ))); do alive $n || break; sleep 0.1; done
    alive $n && { echo "$n ($p) did not stop, KILL"; kill -9 $p 2>/dev/null; sleep 0.3; }
    [ -z "${RC_VERBOSE:-}" ] || say "stop $n" "$(ms $s) ms"
  fi; rm -f $RUN/$n.pid; }

cert() { # NAME SUBJECT EXT : EC key signed by the cluster CA
  local n=$1; [ -s $PKI/$n.crt ] && return 0
  openssl ecparam -name prime256v1 -genkey -noout -out $PKI/$n.key 2>/dev/null
  openssl req -new -key $PKI/$n.key -subj "$2" -out $PKI/$n.csr 2>/dev/null
  openssl x509 -req -in $PKI/$n.csr -CA $PKI/${4:-ca}.crt -CAkey $PKI/${4:-ca}.key -CAcreateserial -days 3650 \
    -extfile <(printf '%s\n' "basicConstraints=CA:FALSE" "$3") -out $PKI/$n.crt 2>/dev/null || die "cert $n"; }
kubeconf() { # FILE CERT SERVER
  cat > $1 <<X
apiVersion: v1
kind: Config
clusters: [{name: rc, cluster: {server: "$3", certificate-authority: $PKI/ca.crt}}]
users: [{name: $2, user: {client-certificate: $PKI/$2.crt, client-key: $PKI/$2.key}}]
contexts: [{name: rc, context: {cluster: rc, user: $2}}]
current-context: rc
X
  chmod 600 $1; }
pki() {
  mkdir -p $PKI; chmod 700 $PKI
  for ca in ca front-ca; do [ -s $PKI/$ca.crt ] || {
    openssl ecparam -name prime256v1 -genkey -noout -out $PKI/$ca.key 2>/dev/null
    openssl req -x509 -new -key $PKI/$ca.key -subj "/CN=rc-$ca" -days 3650 -out $PKI/$ca.crt \
      -addext "keyUsage=critical,keyCertSign,cRLSign,digitalSignature" 2>/dev/null; } ; done
  local c="extendedKeyUsage=clientAuth"
  cert apiserver "/CN=kube-apiserver" "subjectAltName=IP:127.0.0.1,IP:$HIP,IP:10.96.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local
extendedKeyUsage=serverAuth"
  cert kubelet-server "/CN=$NODE" "subjectAltName=IP:$NIP,DNS:$NODE
extendedKeyUsage=serverAuth"
  cert admin "/O=system:masters/CN=admin" "$c"
  cert apiserver-kubelet "/O=system:masters/CN=apiserver-kubelet" "$c"
  cert kcm "/CN=system:kube-controller-manager" "$c"
  cert scheduler "/CN=system:kube-scheduler" "$c"
  cert kubelet "/O=system:nodes/CN=system:node:$NODE" "$c"
  cert kube-proxy "/CN=system:kube-proxy" "$c"
  cert front-client "/CN=front-proxy-client" "$c" front-ca
  [ -s $PKI/sa.key ] || { openssl genrsa -out $PKI/sa.key 2048 2>/dev/null; openssl rsa -in $PKI/sa.key -pubout -out $PKI/sa.pub 2>/dev/null; }
  [ -s $PKI/tokens.csv ] || { echo "$(openssl rand -hex 16),admin-token,admin-token,\"system:masters\"" > $PKI/tokens.csv; chmod 600 $PKI/tokens.csv; }
  kubeconf $RC/admin.kubeconfig admin https://127.0.0.1:$API
  kubeconf $RC/kcm.kubeconfig kcm https://127.0.0.1:$API
  kubeconf $RC/scheduler.kubeconfig scheduler https://127.0.0.1:$API
  kubeconf $RC/kubelet.kubeconfig kubelet https://$HIP:$API
  kubeconf $RC/kube-proxy.kubeconfig kube-proxy https://$HIP:$API; }

node_config() {
  mkdir -p $RC/node/cni $RC/node/certs.d
  cat > $RC/node/containerd.toml <<X
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$PAUSE"
  stream_server_address = "127.0.0.1"
  restrict_oom_score_adj = true
  enable_unprivileged_ports = true
  enable_unprivileged_icmp = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "${RC_SNAPSHOTTER:-overlayfs}"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$RC/node/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "$RC/node/certs.d"
X
  cat > $RC/node/cni/10-rc.conflist <<X
{"cniVersion": "0.4.0", "name": "rc", "plugins": [
 {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
  "ipam": {"type": "host-local", "dataDir": "/run/cni-ipam", "ranges": [[{"subnet": "$PODNET"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
 {"type": "portmap", "capabilities": {"portMappings": true}}]}
X
  echo "nameserver $HIP" > $RC/node/resolv.conf
  cat > $RC/node/kubelet.yaml <<X
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $NIP
port: 10250
readOnlyPort: 0
healthzBindAddress: 127.0.0.1
healthzPort: 10248
tlsCertFile: $PKI/kubelet-server.crt
tlsPrivateKeyFile: $PKI/kubelet-server.key
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $PKI/ca.crt}}
authorization: {mode: Webhook}
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupRoot: "${CG:-/}"
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
clusterDNS: ["$DNSIP"]
clusterDomain: cluster.local
resolvConf: $RC/node/resolv.conf
volumePluginDir: /var/lib/kubelet/volume-plugins
evictionHard: {memory.available: "100Mi", nodefs.available: "1%", imagefs.available: "1%", nodefs.inodesFree: "1%"}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
registerNode: true
syncFrequency: 10s
serializeImagePulls: false
shutdownGracePeriod: 0s
X
  cat > $RC/node/kube-proxy.yaml <<X
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
bindAddress: 0.0.0.0
metricsBindAddress: 127.0.0.1:10249
healthzBindAddress: 127.0.0.1:10256
clientConnection: {kubeconfig: $RC/kube-proxy.kubeconfig}
clusterCIDR: 10.244.0.0/16
hostnameOverride: $NODE
mode: ${RC_PROXY_MODE:-iptables}
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
iptables: {minSyncPeriod: 200ms}
X
}

anchor_up() {
  alive anchor && return 0
  mkdir -p $LIB/{kubelet,containerd,log} /var/lib/kubelet /var/lib/containerd
  cat > $RC/node/anchor.sh <<X
set -e
mount --make-rshared /
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/netns /run/lock /run/sysctl
mount --bind $LIB/kubelet /var/lib/kubelet
mount --bind $LIB/containerd /var/lib/containerd
mount --bind $LIB/log /var/log
# the kubelet writes these machine-wide settings; show it the values it wants, so that it leaves the machine's alone
for s in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1; do
  f=\${s%=*}; echo \${s#*=} > /run/sysctl/\${f//\//_}; mount --bind /run/sysctl/\${f//\//_} /proc/sys/\$f; done
hostname $NODE
ip link set lo up
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null || echo "no bridge-nf-call-iptables"
touch /run/ready
exec $BIN/pause
X
  setsid nohup unshare -m -n -p -u -f --mount-proc --propagation private bash $RC/node/anchor.sh >>$LOG/anchor.log 2>&1 </dev/null &
  local w=$! p= i
  for i in $(seq 100); do p=$(pgrep -P $w | head -1); [ -n "$p" ] && [ -e /proc/$p/root/run/ready ] && grep -qz pause /proc/$p/cmdline && break; sleep 0.05; done
  [ -n "$p" ] && [ -e /proc/$p/root/run/ready ] || die "node namespaces: see $LOG/anchor.log"
  record anchor $p
  ip link add rc-host type veth peer name rc-node netns $p || die "veth"
  ip addr add $HIP/30 dev rc-host; ip link set rc-host up
  node ip addr add $NIP/30 dev rc-node; node ip link set rc-node up
  node ip route add $SVCNET via $HIP            # only so that node processes pass the routing step before kube-proxy's DNAT
  ip route replace 10.244.0.0/16 via $NIP; ip route replace $SVCNET via $NIP; }

mkcg() { # the kubelet wants its root there in every hierarchy of version 1 or in the one of version 2, and a cpuset is born without processors
  local d f; [ -n "$CG" ] || return 0
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then mkdir -p /sys/fs/cgroup$CG
    for f in $(cat /sys/fs/cgroup/cgroup.controllers); do echo "+$f" > /sys/fs/cgroup/cgroup.subtree_control; done 2>/dev/null; return 0; fi
  for d in /sys/fs/cgroup/*/; do [ -L ${d%/} ] || mkdir -p $d$CG; done
  for f in cpus mems; do cat /sys/fs/cgroup/cpuset/cpuset.$f > /sys/fs/cgroup/cpuset$CG/cpuset.$f; done; }
rmcg() { local d; for d in /sys/fs/cgroup{,/*}${CG:-/kubepods}; do [ -d $d ] && [ ! -L ${d%$CG} ] && find $d -depth -type d -exec rmdir {} + 2>/dev/null; done; return 0; }
ctr_() { node ctr -n k8s.io "$@"; }
load() { local f; for f in "$@"; do ctr_ images import --snapshotter ${RC_SNAPSHOTTER:-overlayfs} "$f" >/dev/null || die "import $f"; done; }

up() {
  local T=$(now) t; mkdir -p $RUN $LOG $RC/node $RC/images; chmod 755 $RC
  local b F=${RC_FAKE:-}; for b in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kubelet kube-proxy pause tcpfwd; do [ -x $BIN/$b ] || die "$BIN/$b is missing"; done
  [ -n "$F" ] || for b in containerd runc ctr nsenter unshare iptables ip openssl conntrack; do command -v $b >/dev/null || die "$b is missing (apt-get install -y --no-install-recommends containerd runc containernetworking-plugins iptables conntrack)"; done
  if ! alive etcd && ! alive kube-apiserver; then for b in $API $ETCD $ETCDP $KCM $SCH; do [ -z "$(ss -Hltn "sport = :$b" 2>/dev/null)" ] || die "port $b is in use by someone else (RC_API_PORT, RC_ETCD_PORT, RC_ETCD_PEER_PORT, RC_KCM_PORT, RC_SCHED_PORT change ours)"; done; fi
  t=$(now); pki; node_config; say "certificates, config" "$(ms $t) ms"
  [ -n "$F" ] || { t=$(now); mkcg; anchor_up; say "node namespaces, veth" "$(ms $t) ms"; }
  t=$(now); start etcd $BIN/etcd --data-dir $RC/etcd --listen-client-urls http://127.0.0.1:$ETCD --advertise-client-urls http://127.0.0.1:$ETCD \
    --listen-peer-urls http://127.0.0.1:$ETCDP --initial-advertise-peer-urls http://127.0.0.1:$ETCDP --initial-cluster default=http://127.0.0.1:$ETCDP --unsafe-no-fsync --log-level warn
  [ -n "$F" ] || nstart containerd /usr/bin/containerd -c $RC/node/containerd.toml
  waitfor etcd 30 curl -fsS --noproxy '*' http://127.0.0.1:$ETCD/health || die "etcd: $LOG/etcd.log"; say etcd "$(ms $t) ms"
  t=$(now); start kube-apiserver $BIN/kube-apiserver --etcd-servers=http://127.0.0.1:$ETCD --bind-address=127.0.0.1 --secure-port=$API --advertise-address=$HIP \
    --tls-cert-file=$PKI/apiserver.crt --tls-private-key-file=$PKI/apiserver.key --client-ca-file=$PKI/ca.crt --token-auth-file=$PKI/tokens.csv \
    --service-account-key-file=$PKI/sa.pub --service-account-signing-key-file=$PKI/sa.key --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --service-cluster-ip-range=$SVCNET --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true \
    --kubelet-client-certificate=$PKI/apiserver-kubelet.crt --kubelet-client-key=$PKI/apiserver-kubelet.key --kubelet-certificate-authority=$PKI/ca.crt --kubelet-preferred-address-types=InternalIP \
    --requestheader-client-ca-file=$PKI/front-ca.crt --requestheader-allowed-names=front-proxy-client --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
    --requestheader-extra-headers-prefix=X-Remote-Extra- --proxy-client-cert-file=$PKI/front-client.crt --proxy-client-key-file=$PKI/front-client.key --profiling=false
  [ -n "$F" ] || start tcpfwd $BIN/tcpfwd $HIP:$API 127.0.0.1:$API
  waitfor apiserver 90 $K get --raw /readyz || die "apiserver: $LOG/kube-apiserver.log"; say kube-apiserver "$(ms $t) ms"
  t=$(now); start kube-controller-manager $BIN/kube-controller-manager --kubeconfig=$RC/kcm.kubeconfig --authentication-kubeconfig=$RC/kcm.kubeconfig --authorization-kubeconfig=$RC/kcm.kubeconfig \
    --bind-address=127.0.0.1 --secure-port=$KCM --leader-elect=false --use-service-account-credentials --service-account-private-key-file=$PKI/sa.key --root-ca-file=$PKI/ca.crt \
    --cluster-signing-cert-file=$PKI/ca.crt --cluster-signing-key-file=$PKI/ca.key --profiling=false
  start kube-scheduler $BIN/kube-scheduler --kubeconfig=$RC/scheduler.kubeconfig --authentication-kubeconfig=$RC/scheduler.kubeconfig --authorization-kubeconfig=$RC/scheduler.kubeconfig \
    --bind-address=127.0.0.1 --secure-port=$SCH --leader-elect=false --profiling=false
  waitfor sa 30 $K -n default get serviceaccount default || die "no default service account"
  if [ -n "$F" ]; then waitfor sched 60 curl -fsSk --noproxy '*' https://127.0.0.1:$SCH/healthz || die "scheduler: $LOG/kube-scheduler.log"; say "controller-manager, scheduler" "$(ms $t) ms"
    t=$(now); fake 1; say "kwok node Ready" "$(ms $t) ms"; say TOTAL "$(ms $T) ms"; echo "export KUBECONFIG=$RC/admin.kubeconfig"; return; fi
  waitfor containerd 30 node ctr version || die "containerd: $LOG/containerd.log"
  local ti=$(now); if ! alive kubelet; then   # left over from the last run: records of containers whose processes are gone
    b=$(ctr_ containers ls -q); [ -z "$b" ] || ctr_ containers rm $b >/dev/null 2>&1
    for b in $RC/images/*.tar; do [ -e "$b" ] || continue; [ $RC/images/.loaded-$(basename $b) -nt "$b" ] && continue; load $b && touch $RC/images/.loaded-$(basename $b); done
  fi; say "  image import" "$(ms $ti) ms"
  nstart kubelet $BIN/kubelet --config=$RC/node/kubelet.yaml --kubeconfig=$RC/kubelet.kubeconfig --root-dir=/var/lib/kubelet --hostname-override=$NODE --node-ip=$NIP --v=1
  nstart kube-proxy $BIN/kube-proxy --config=$RC/node/kube-proxy.yaml
  waitfor kcm 60 curl -fsSk --noproxy '*' https://127.0.0.1:$KCM/healthz || die "controller-manager: $LOG/kube-controller-manager.log"
  waitfor sched 60 curl -fsSk --noproxy '*' https://127.0.0.1:$SCH/healthz || die "scheduler: $LOG/kube-scheduler.log"; say "controller-manager, scheduler" "$(ms $t) ms"
  waitfor kubelet 60 node curl -fsS --noproxy '*' http://127.0.0.1:10248/healthz || die "kubelet: $LOG/kubelet.log"
  waitfor node 60 $K wait --for=condition=Ready node/$NODE --timeout=1s || die "node not Ready: $LOG/kubelet.log"; say "kubelet, node Ready" "$(ms $t) ms"
  if [ -e $RC/images/coredns.tar ] && [ -e $HERE/coredns.yaml ]; then t=$(now); $K apply -f $HERE/coredns.yaml >/dev/null
    waitfor dns 60 $K -n kube-system wait --for=condition=Available deploy/coredns --timeout=1s && say "cluster DNS (coredns)" "$(ms $t) ms" || echo "coredns is not available yet"; fi
  say TOTAL "$(ms $T) ms"; echo "export KUBECONFIG=$RC/admin.kubeconfig"; }

fake() { # N : N simulated nodes, tainted when a real node is there too
  [ -x $BIN/kwok ] || die "$BIN/kwok is missing"; local i taint=; [ -n "${RC_FAKE:-}" ] || taint='  taints: [{key: kwok.x-k8s.io/node, value: fake, effect: NoSchedule}]'
  HOME=$RC start kwok $BIN/kwok --kubeconfig=$RC/admin.kubeconfig --manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake --cidr=10.245.0.1/24 --node-ip=10.201.0.200
  for i in $(seq 0 $(( $1 - 1 ))); do $K apply -f - >/dev/null <<X
apiVersion: v1
kind: Node
metadata: {name: fake-$i, annotations: {kwok.x-k8s.io/node: fake, node.alpha.kubernetes.io/ttl: "0"}, labels: {type: kwok, kubernetes.io/os: linux, kubernetes.io/arch: amd64, kubernetes.io/hostname: fake-$i}}
spec:
  podCIDR: 10.245.$i.0/24
$taint
status:
  allocatable: {cpu: "32", memory: 256Gi, pods: "110"}
  capacity: {cpu: "32", memory: 256Gi, pods: "110"}
X
  done
  for i in $(seq 0 $(( $1 - 1 ))); do waitfor fake 30 $K wait --for=condition=Ready node/fake-$i --timeout=1s || die "fake-$i is not Ready: $LOG/kwok.log"; done; }

down() {
  local t=$(now) n a i
  stop kwok 5; stop kube-proxy 5; stop kubelet 10; stop kube-scheduler 5; stop kube-controller-manager 5
  stop containerd 10
  stop anchor 3
  stop tcpfwd 3; stop kube-apiserver 20; stop etcd 10
  ip link del rc-host 2>/dev/null; rmcg
  echo "down in $(ms $t) ms; state kept in $RC and $LIB ('reset' removes etcd and node state)"; }
# /var/lib/kubelet and /var/lib/containerd stay, empty: to remove them would take away what other nodes have mounted there
reset_() { down; rm -rf $RC/etcd $RC/log $RC/run; rm -f $RC/images/.loaded-*; rm -rf --one-file-system $LIB; echo "state removed (kept: $PKI, $RC/images)"; }
status() {
  local n p; for n in etcd kube-apiserver tcpfwd kube-controller-manager kube-scheduler kwok anchor containerd kubelet kube-proxy; do
    p=$(pidof_ $n); if alive $n; then printf '%-26s up   pid %-7s RSS %s MiB\n' $n $p $(( $(awk '/VmRSS/{print $2}' /proc/$p/status) / 1024 )); else printf '%-26s down\n' $n; fi; done
  alive kube-apiserver && { $K get nodes -o wide; $K get pods -A -o wide; $K get svc -A; }; return 0; }
case "${1:-}" in
  up) up;; down) down;; status) status;; reset) reset_;; load) shift; load "$@";; node) shift; node "$@";; ctr) shift; ctr_ "$@";;
  logs) tail -n ${3:-40} $LOG/$2.log;;
  fake) shift; fake "${1:-1}";;
  *) sed -n 2,4p $0; exit 2;; esac
