/**
 * Fields of a Sensor, of its filters and triggers, and of their parts. `group`, `version` and `resource` of triggers are what
 * manifests of the first versions still have; the object of the trigger says the same.
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
  Artifact: s3:S3 inline file:FileArtifact url:UrlArtifact configmap:Key git:GitArtifact resource:any
  FileArtifact: path
  UrlArtifact: path verifyCert:bool
  GitArtifact: url cloneDirectory creds:BasicAuth sshKeySecret:Key filePath branch tag ref remote:GitRemoteConfig
    insecureIgnoreHostKey:bool githubApp:GithubApp
  GitRemoteConfig: name urls:text[]
  Parameter: src:ParameterSource dest operation
  ParameterSource: dependencyName contextKey contextTemplate dataKey dataTemplate value useRawData:bool
  WorkflowTrigger: source:Artifact operation parameters:Parameter[] args:text[] group version resource
  HttpTrigger: url payload:Parameter[] tls:Tls method parameters:Parameter[] timeout:number basicAuth:BasicAuth
    headers:text{} secureHeaders:SecureHeader[] dynamicHeaders:Parameter[] host
  SecureHeader: name valueFrom:ValueFrom
  ValueFrom: secretKeyRef:Key configMapKeyRef:Key
  AwsLambdaTrigger: functionName accessKey:Key secretKey:Key region payload:Parameter[] parameters:Parameter[]
    invocationType roleARN
  CustomTrigger: serverURL secure:bool certSecret:Key serverNameOverride spec:text{} parameters:Parameter[]
    payload:Parameter[]
  KafkaTrigger: url topic partition:number parameters:Parameter[] requiredAcks:number compress:bool
    flushFrequency:number tls:Tls payload:Parameter[] partitioningKey version sasl:Sasl
    schemaRegistry:SchemaRegistry headers:text{} secureHeaders:SecureHeader[]
  NatsTrigger: url subject payload:Parameter[] parameters:Parameter[] tls:Tls auth:NatsAuth
  SlackTrigger: parameters:Parameter[] slackToken:Key channel message attachments blocks thread:SlackThread
    sender:SlackSender
  SlackThread: messageAggregationKey broadcastMessageToChannel:bool
  SlackSender: username icon
  OpenWhiskTrigger: host version namespace authToken:Key actionName payload:Parameter[] parameters:Parameter[]
  LogTrigger: intervalSeconds:number
  AzureEventHubsTrigger: fqdn hubName sharedAccessKeyName:Key sharedAccessKey:Key payload:Parameter[]
    parameters:Parameter[]
  PulsarTrigger: url topic parameters:Parameter[] payload:Parameter[] tlsTrustCertsSecret:Key
    tlsAllowInsecureConnection:bool tlsValidateHostname:bool tls:Tls authTokenSecret:Key connectionBackoff:Backoff
    authAthenzParams:text{} authAthenzSecret:Key
  Reset: byTime:ResetByTime
  ResetByTime: cron timezone
  AzureServiceBusTrigger: connectionString:Key queueName topicName subscriptionName:unused tls:Tls payload:Parameter[]
    parameters:Parameter[]
  EmailTrigger: parameters:Parameter[] username smtpPassword:Key host port:number to:text[] from subject body
  Policy: k8s:ResourcePolicy status:StatusPolicy
  ResourcePolicy: labels:text{} backoff:Backoff errorOnBackoffTimeout:bool
  StatusPolicy: allow:number[]
  RateLimit: unit requestsPerUnit:number
`;
