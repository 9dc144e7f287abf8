/**
 * Fields of a Sensor, of its filters and triggers, and of their parts. `group`, `version` and `resource` of triggers are what
 * manifests of the first versions still have.
 */
export const sensorFields = `
  Sensor: dependencies:Dependency[] triggers:Trigger[] template:PodTemplate errorOnFailedRound:bool eventBusName
    replicas:number revisionHistoryLimit:number loggingFields:text{}
  Dependency: name eventSourceName eventName filters:Filters transform:Transform filtersLogicalOperator
  Filters: time:TimeFilter context:ContextFilter data:DataFilter[] exprs:ExprFilter[] dataLogicalOperator
    exprLogicalOperator script
  TimeFilter: start stop timezone
  ContextFilter: id source specversion type datacontenttype subject time
  DataFilter: path type value:text[] comparator template
  ExprFilter: expr fields:ExprField[]
  ExprField: path name
  Transform: jq script
  Trigger: template:Template parameters:Parameter[] policy:Policy retryStrategy:Backoff rateLimit:RateLimit
    atLeastOnce:bool dlqTrigger:Trigger
  Template: name conditions k8s:KubernetesTrigger argoWorkflow:WorkflowTrigger http:HttpTrigger
    awsLambda:AwsLambdaTrigger custom:CustomTrigger kafka:KafkaTrigger nats:NatsTrigger slack:SlackTrigger
    openWhisk:OpenWhiskTrigger log:LogTrigger azureEventHubs:AzureEventHubsTrigger pulsar:PulsarTrigger
    conditionsReset:Reset[] azureServiceBus:AzureServiceBusTrigger email:EmailTrigger
  KubernetesTrigger: source:Artifact operation parameters:Parameter[] patchStrategy liveObject:bool group version
    resource
  Artifact: s3:S3Object inline file:FileArtifact url:UrlArtifact configmap:Key git:GitArtifact resource:any
  FileArtifact: path
  UrlArtifact: path verifyCert:bool
  GitArtifact: url cloneDirectory creds:BasicAuth sshKeySecret:Key filePath branch tag ref remote:GitRemoteConfig
    insecureIgnoreHostKey:bool githubApp:GithubApp
  GitRemoteConfig: name urls:text[]
  Parameter: src:ParameterSource dest operation
  PayloadEntry: src:ParameterSource dest operation
  ParameterSource: dependencyName contextKey contextTemplate dataKey dataTemplate value useRawData:bool
  WorkflowTrigger: source:Artifact operation parameters:Parameter[] args:text[] group version resource
  HttpTrigger: url payload:PayloadEntry[] tls:Tls method parameters:Parameter[] timeout:number basicAuth:BasicAuth
    headers:text{} secureHeaders:SecureHeader[] dynamicHeaders:PayloadEntry[] host
  SecureHeader: name valueFrom:ValueFrom
  ValueFrom: secretKeyRef:Key configMapKeyRef:Key
  AwsLambdaTrigger: functionName accessKey:Key secretKey:Key region payload:PayloadEntry[] parameters:Parameter[]
    invocationType roleARN
  CustomTrigger: serverURL secure:bool certSecret:Key serverNameOverride spec:text{} parameters:Parameter[]
    payload:PayloadEntry[]
  KafkaTrigger: url topic partition:number parameters:Parameter[] requiredAcks:number compress:bool
    flushFrequency:number tls:Tls payload:PayloadEntry[] partitioningKey version sasl:Sasl
    schemaRegistry:SchemaRegistry headers:text{} secureHeaders:SecureHeader[]
  NatsTrigger: url subject payload:PayloadEntry[] parameters:Parameter[] tls:Tls auth:NatsAuth
  SlackTrigger: parameters:Parameter[] slackToken:Key channel message attachments blocks thread:SlackThread
    sender:SlackSender
  SlackThread: messageAggregationKey broadcastMessageToChannel:bool
  SlackSender: username icon
  OpenWhiskTrigger: host version namespace authToken:Key actionName payload:PayloadEntry[] parameters:Parameter[]
  LogTrigger: intervalSeconds:number
  AzureEventHubsTrigger: fqdn hubName sharedAccessKeyName:Key sharedAccessKey:Key payload:PayloadEntry[]
    parameters:Parameter[]
  PulsarTrigger: url topic parameters:Parameter[] payload:PayloadEntry[] tlsTrustCertsSecret:Key
    tlsAllowInsecureConnection:bool tlsValidateHostname:bool tls:Tls authTokenSecret:Key connectionBackoff:Backoff
    authAthenzParams:text{} authAthenzSecret:Key
  Reset: byTime:ResetByTime
  ResetByTime: cron timezone
  AzureServiceBusTrigger: connectionString:Key queueName topicName subscriptionName tls:Tls payload:PayloadEntry[]
    parameters:Parameter[]
  EmailTrigger: parameters:Parameter[] username smtpPassword:Key host port:number to:text[] from subject body
  Policy: k8s:ResourcePolicy status:StatusPolicy
  ResourcePolicy: labels:text{} backoff:Backoff errorOnBackoffTimeout:bool
  StatusPolicy: allow:number[]
  RateLimit: unit requestsPerUnit:number
`;
