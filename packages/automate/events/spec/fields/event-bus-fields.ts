/** Fields of an EventBus; `embedded` is an extension of ours. */
export const eventBusFields = `
  EventBus: embedded:EmbeddedBus nats:NatsBus jetstream:JetStreamBus kafka:KafkaBus jetstreamExotic:JetStreamConfig
  EmbeddedBus: maxAge maxMsgs:number
  NatsBus: native:NativeStrategy exotic:NatsConfig
  NativeStrategy: replicas:number auth persistence:PersistenceStrategy containerTemplate:any
    metricsContainerTemplate:any nodeSelector:text{} tolerations:any[] metadata:Metadata securityContext:any maxAge
    imagePullSecrets:any[] serviceAccountName priorityClassName priority:number affinity:any maxMsgs:number maxBytes
    maxSubs:number maxPayload raftHeartbeatTimeout raftElectionTimeout raftLeaseTimeout raftCommitTimeout
  PersistenceStrategy: storageClassName accessMode:any volumeSize:any
  NatsConfig: url clusterID auth accessSecret:Key
  JetStreamBus: version replicas:number containerTemplate:any reloaderContainerTemplate:any
    metricsContainerTemplate:any persistence:PersistenceStrategy metadata:Metadata nodeSelector:text{}
    tolerations:any[] securityContext:any imagePullSecrets:any[] priorityClassName priority:number affinity:any
    serviceAccountName settings startArgs:text[] streamConfig maxPayload
  KafkaBus: url topic version tls:Tls sasl:Sasl consumerGroup:KafkaConsumerGroup partitioner
  JetStreamConfig: url accessSecret:Key streamConfig tls:Tls
`;
