/** What is read of the load balancers of an AWS account. */
export interface LoadBalancers {
  /** The load balancer behind a host name; undefined if there is none. */
  find(hostname: string): Promise<LoadBalancer | undefined>;
  /** The target groups of a load balancer, with their tags and the weights that its rules give them. */
  targetGroups(loadBalancer: string): Promise<readonly TargetGroup[]>;
  /** What is registered in a target group, as `address:port`. */
  targets(targetGroup: string): Promise<readonly string[]>;
}

export interface LoadBalancer {
  readonly name: string;
  readonly arn: string;
}

export interface TargetGroup {
  readonly name: string;
  readonly arn: string;
  readonly tags: ReadonlyMap<string, string>;
  /** One for each rule that divides requests with it; a rule for one group alone counts only if there is no other. */
  readonly weights: readonly number[];
}

type ElbClient = import('@aws-sdk/client-elastic-load-balancing-v2').ElasticLoadBalancingV2Client;

/** What `DescribeTags` takes at once. */
const tagsAtOnce = 20;

/** Asks AWS with its own credentials and region, as its tools find them. The client is loaded when it is first asked. */
export function awsLoadBalancers(signal: AbortSignal): LoadBalancers {
  let made: Promise<ElbClient> | undefined;
  const client = () => {
    made ??= library().then(({ ElasticLoadBalancingV2Client }) => new ElasticLoadBalancingV2Client({}));
    return made;
  };
  const options = { abortSignal: signal };
  return {
    async find(hostname) {
      const { paginateDescribeLoadBalancers } = await library();
      for await (const { LoadBalancers = [] } of paginateDescribeLoadBalancers({ client: await client() }, {})) {
        const found = LoadBalancers.find(({ DNSName }) => DNSName === hostname);
        if (found) return { name: found.LoadBalancerName ?? '', arn: found.LoadBalancerArn ?? '' };
      }
      return undefined;
    },
    async targetGroups(loadBalancer) {
      const { paginateDescribeTargetGroups } = await library();
      const groups: { name: string; arn: string }[] = [];
      const pages = paginateDescribeTargetGroups({ client: await client() }, { LoadBalancerArn: loadBalancer });
      for await (const { TargetGroups = [] } of pages)
        for (const { TargetGroupName: name = '', TargetGroupArn: arn = '' } of TargetGroups) groups.push({ name, arn });
      const tags = await tagsOf(
        await client(),
        groups.map(({ arn }) => arn),
        options,
      );
      const weights = await weightsOf(await client(), loadBalancer, options);
      return groups.map((group) => ({
        ...group,
        tags: tags.get(group.arn) ?? new Map(),
        weights: weights.get(group.arn) ?? [],
      }));
    },
    async targets(targetGroup) {
      const { DescribeTargetHealthCommand } = await library();
      const command = new DescribeTargetHealthCommand({ TargetGroupArn: targetGroup });
      const { TargetHealthDescriptions = [] } = await (await client()).send(command, options);
      return TargetHealthDescriptions.flatMap(({ Target }) => (Target ? [`${Target.Id}:${Target.Port}`] : []));
    },
  };
}

function library() {
  return import('@aws-sdk/client-elastic-load-balancing-v2');
}

async function tagsOf(client: ElbClient, arns: readonly string[], options: { abortSignal: AbortSignal }) {
  const { DescribeTagsCommand } = await library();
  const tags = new Map<string, Map<string, string>>();
  for (let at = 0; at < arns.length; at += tagsAtOnce) {
    const command = new DescribeTagsCommand({ ResourceArns: arns.slice(at, at + tagsAtOnce) });
    const { TagDescriptions = [] } = await client.send(command, options);
    for (const { ResourceArn = '', Tags = [] } of TagDescriptions)
      tags.set(ResourceArn, new Map(Tags.map(({ Key = '', Value = '' }) => [Key, Value])));
  }
  return tags;
}

async function weightsOf(client: ElbClient, loadBalancer: string, options: { abortSignal: AbortSignal }) {
  const { DescribeRulesCommand, paginateDescribeListeners } = await library();
  const divided = new Map<string, number[]>();
  const alone = new Map<string, number[]>();
  for await (const { Listeners = [] } of paginateDescribeListeners({ client }, { LoadBalancerArn: loadBalancer }))
    for (const { ListenerArn } of Listeners) {
      let Marker: string | undefined;
      do {
        const page = await client.send(
          new DescribeRulesCommand({ ListenerArn, ...(Marker ? { Marker } : {}) }),
          options,
        );
        for (const { Actions = [] } of page.Rules ?? [])
          for (const { ForwardConfig: { TargetGroups = [] } = {} } of Actions)
            for (const { TargetGroupArn = '', Weight } of TargetGroups) {
              if (Weight === undefined) continue;
              const into = TargetGroups.length > 1 ? divided : alone;
              into.set(TargetGroupArn, [...(into.get(TargetGroupArn) ?? []), Weight]);
            }
        Marker = page.NextMarker;
      } while (Marker);
    }
  // a header route leads to the canary alone: its weight says nothing of how the rest is divided
  return new Map([...alone, ...divided]);
}
