/**
 * Fields of an EventSource, of each of its types, and of their parts. `type` is what manifests of the first versions still have;
 * nothing has read it since.
 */
export const eventSourceFields = `
  EventSource: eventBusName template:PodTemplate service:Service minio:S3{} calendar:CalendarSource{}
    file:FileSource{} resource:ResourceSource{} webhook:WebhookSource{} amqp:AmqpSource{} kafka:KafkaSource{}
    mqtt:MqttSource{} nats:Nats{} sns:SnsSource{} sqs:SqsSource{} pubSub:PubSubSource{} github:GithubSource{}
    gitlab:GitlabSource{} hdfs:HdfsSource{} slack:SlackSource{} storageGrid:StorageGridSource{}
    azureEventsHub:AzureEventsHubSource{} stripe:StripeSource{} emitter:EmitterSource{} redis:RedisSource{}
    nsq:NsqSource{} pulsar:PulsarSource{} generic:GenericSource{} replicas:number type:any
    bitbucketserver:BitbucketServerSource{} bitbucket:BitbucketSource{} redisStream:RedisStreamSource{}
    azureServiceBus:AzureServiceBusSource{} azureQueueStorage:AzureQueueStorageSource{} sftp:SftpSource{}
    gerrit:GerritSource{} mns:MnsSource{}
  Service: metadata:Metadata ports:any[] clusterIP
  CalendarSource: schedule interval exclusionDates:text[] timezone metadata:text{} persistence:EventPersistence
    filter:ExpressionFilter
  EventPersistence: catchup:CatchupConfiguration configMap:ConfigMapPersistence
  CatchupConfiguration: enabled:bool maxDuration
  ConfigMapPersistence: name createIfNotExist:bool
  ExpressionFilter: expression
  FileSource: eventType watchPathConfig:WatchPathConfig polling:bool metadata:text{} filter:ExpressionFilter
  WatchPathConfig: directory path pathRegexp
  ResourceSource: namespace filter:ResourceFilter group version resource eventTypes:text[] metadata:text{}
  ResourceFilter: prefix labels:Selector[] fields:Selector[] createdBy afterStart:bool
  Selector: key operation value
  WebhookSource: endpoint method port url serverCertSecret:Key serverKeySecret:Key metadata:text{} authSecret:Key
    maxPayloadSize:number filter:ExpressionFilter
  WebhookContext: endpoint method port url serverCertSecret:Key serverKeySecret:Key metadata:text{} authSecret:Key
    maxPayloadSize:number
  AmqpSource: url exchangeName exchangeType routingKey connectionBackoff:Backoff jsonBody:bool tls:Tls
    metadata:text{} exchangeDeclare:AmqpExchangeDeclareConfig queueDeclare:AmqpQueueDeclareConfig
    queueBind:AmqpQueueBindConfig consume:AmqpConsumeConfig auth:BasicAuth urlSecret:Key filter:ExpressionFilter
  AmqpExchangeDeclareConfig: durable:bool autoDelete:bool internal:bool noWait:bool
  AmqpQueueDeclareConfig: name durable:bool autoDelete:bool exclusive:bool noWait:bool arguments
  AmqpQueueBindConfig: noWait:bool
  AmqpConsumeConfig: consumerTag autoAck:bool exclusive:bool noLocal:bool noWait:bool
  KafkaSource: url partition topic connectionBackoff:Backoff tls:Tls jsonBody:bool metadata:text{}
    consumerGroup:KafkaConsumerGroup limitEventsPerSecond:number version sasl:Sasl filter:ExpressionFilter config
    schemaRegistry:SchemaRegistry awsMskIamAuth:any
  MqttSource: url topic clientId connectionBackoff:Backoff jsonBody:bool tls:Tls metadata:text{}
    filter:ExpressionFilter auth:BasicAuth
  Nats: url subject connectionBackoff:Backoff jsonBody:bool tls:Tls metadata:text{} auth:NatsAuth
    filter:ExpressionFilter queue
  SnsSource: webhook:WebhookContext topicArn accessKey:Key secretKey:Key region roleARN metadata:text{}
    validateSignature:bool filter:ExpressionFilter endpoint
  SqsSource: accessKey:Key secretKey:Key region queue waitTimeSeconds:number roleARN jsonBody:bool queueAccountId
    metadata:text{} dlq:bool filter:ExpressionFilter endpoint sessionToken:Key
  PubSubSource: projectID topicProjectID topic subscriptionID credentialSecret:Key deleteSubscriptionOnFinish:bool
    jsonBody:bool metadata:text{} filter:ExpressionFilter
  GithubSource: id:number webhook:WebhookContext owner repository events:text[] apiToken:Key webhookSecret:Key
    insecure:bool active:bool contentType githubBaseURL githubUploadURL deleteHookOnFinish:bool metadata:text{}
    repositories:OwnedRepositories[] organizations:text[] githubApp:GithubApp filter:ExpressionFilter
  OwnedRepositories: owner names:text[]
  GitlabSource: webhook:WebhookContext projectID events:text[] accessToken:Key enableSSLVerification:bool
    gitlabBaseURL deleteHookOnFinish:bool metadata:text{} projects:text[] secretToken:Key filter:ExpressionFilter
    groups:text[]
  HdfsSource: directory path pathRegexp type checkInterval addresses:text[] hdfsUser krbCCacheSecret:Key
    krbKeytabSecret:Key krbUsername krbRealm krbConfigConfigMap:Key krbServicePrincipalName metadata:text{}
    filter:ExpressionFilter
  SlackSource: signingSecret:Key token:Key webhook:WebhookContext metadata:text{} filter:ExpressionFilter
  StorageGridSource: webhook:WebhookContext events:text[] filter:S3Filter topicArn bucket region authToken:Key
    apiURL metadata:text{} tls:Tls
  AzureEventsHubSource: fqdn sharedAccessKeyName:Key sharedAccessKey:Key hubName metadata:text{}
    filter:ExpressionFilter
  StripeSource: webhook:WebhookContext createWebhook:bool apiKey:Key eventFilter:text[] metadata:text{}
  EmitterSource: broker channelKey channelName username:Key password:Key connectionBackoff:Backoff jsonBody:bool
    tls:Tls metadata:text{} filter:ExpressionFilter
  RedisSource: hostAddress password:Key namespace db:number channels:text[] tls:Tls metadata:text{}
    filter:ExpressionFilter jsonBody:bool username
  NsqSource: hostAddress topic channel connectionBackoff:Backoff jsonBody:bool tls:Tls metadata:text{}
    filter:ExpressionFilter
  PulsarSource: topics:text[] type url tlsTrustCertsSecret:Key tlsAllowInsecureConnection:bool
    tlsValidateHostname:bool tls:Tls connectionBackoff:Backoff jsonBody:bool metadata:text{} authTokenSecret:Key
    filter:ExpressionFilter authAthenzParams:text{} authAthenzSecret:Key
  GenericSource: url config insecure:bool jsonBody:bool metadata:text{} authSecret:Key filter:ExpressionFilter
  BitbucketServerSource: webhook:WebhookContext projectKey repositorySlug projects:text[]
    repositories:BitbucketServerRepository[] events:text[] skipBranchRefsChangedOnOpenPR:bool oneEventPerChange:bool
    accessToken:Key webhookSecret:Key bitbucketserverBaseURL deleteHookOnFinish:bool metadata:text{}
    filter:ExpressionFilter tls:Tls checkInterval
  BitbucketServerRepository: projectKey repositorySlug
  BitbucketSource: deleteHookOnFinish:bool metadata:text{} webhook:WebhookContext auth:BitbucketAuth events:text[]
    owner projectKey repositorySlug repositories:BitbucketRepository[] filter:ExpressionFilter
  BitbucketAuth: basic:BasicAuth oauthToken:Key
  BitbucketRepository: owner repositorySlug
  RedisStreamSource: hostAddress password:Key db:number streams:text[] maxMsgCountPerRead:number consumerGroup
    tls:Tls metadata:text{} filter:ExpressionFilter username
  AzureServiceBusSource: connectionString:Key queueName topicName subscriptionName tls:Tls jsonBody:bool
    metadata:text{} filter:ExpressionFilter fullyQualifiedNamespace deferDelete:bool
  AzureQueueStorageSource: storageAccountName connectionString:Key queueName jsonBody:bool dlq:bool metadata:text{}
    filter:ExpressionFilter decodeMessage:bool waitTimeInSeconds:number
  SftpSource: eventType watchPathConfig:WatchPathConfig username:Key password:Key sshKeySecret:Key address:Key
    metadata:text{} filter:ExpressionFilter pollIntervalDuration
  GerritSource: webhook:WebhookContext hookName events:text[] auth:BasicAuth gerritBaseURL deleteHookOnFinish:bool
    metadata:text{} projects:text[] sslVerify:bool filter:ExpressionFilter maxTries:number
  MnsSource: accessKey:Key secretKey:Key queue jsonBody:bool endpoint filter:ExpressionFilter
`;
