import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { awsLoadBalancers } from './load-balancers.ts';

const arn = (rest: string) => `arn:aws:elasticloadbalancing:eu-central-1:123456789012:${rest}`;
const balancer = arn('loadbalancer/app/k8s-shop/50dc6c495c0c9188');
const group = (name: string) => arn(`targetgroup/${name}/73e2d6bc24d8a067`);

const tuple = (name: string, weight: number) =>
  `<member><TargetGroupArn>${group(name)}</TargetGroupArn><Weight>${weight}</Weight></member>`;
const forward = (...tuples: string[]) =>
  `<member><RuleArn>${arn('listener-rule/app/k8s-shop/1')}</RuleArn><Actions><member><Type>forward</Type><ForwardConfig><TargetGroups>${tuples.join('')}</TargetGroups></ForwardConfig></member></Actions></member>`;

/** Answers of the service, by the action that is asked; in its own form. */
const results: Readonly<Record<string, (parameters: URLSearchParams) => string>> = {
  DescribeLoadBalancers: (asked) =>
    asked.has('Marker')
      ? `<LoadBalancers><member><LoadBalancerArn>${balancer}</LoadBalancerArn><LoadBalancerName>k8s-shop</LoadBalancerName><DNSName>shop.elb.example.com</DNSName></member></LoadBalancers>`
      : '<LoadBalancers><member><LoadBalancerName>other</LoadBalancerName><DNSName>other.example.com</DNSName></member></LoadBalancers><NextMarker>2</NextMarker>',
  DescribeTargetGroups: () =>
    `<TargetGroups>${['stable', 'canary'].map((name) => `<member><TargetGroupArn>${group(name)}</TargetGroupArn><TargetGroupName>${name}</TargetGroupName></member>`).join('')}</TargetGroups>`,
  DescribeTags: () =>
    `<TagDescriptions><member><ResourceArn>${group('canary')}</ResourceArn><Tags><member><Key>ingress.k8s.aws/resource</Key><Value>shop/web-canary:80</Value></member></Tags></member></TagDescriptions>`,
  DescribeListeners: () =>
    `<Listeners><member><ListenerArn>${arn('listener/app/k8s-shop/1')}</ListenerArn></member></Listeners>`,
  DescribeRules: () =>
    `<Rules>${forward(tuple('stable', 90), tuple('canary', 10))}${forward(tuple('canary', 100))}</Rules>`,
  DescribeTargetHealth: () =>
    '<TargetHealthDescriptions><member><Target><Id>10.0.0.1</Id><Port>8080</Port></Target><TargetHealth><State>initial</State></TargetHealth></member></TargetHealthDescriptions>',
};

test('load balancers, target groups with tags and weights, and targets are read of AWS, page by page', async (t) => {
  const actions: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const asked = new URLSearchParams(body);
    const action = asked.get('Action') ?? '';
    actions.push(action);
    assert.match(request.headers.authorization ?? '', /^AWS4-HMAC-SHA256 .*\/eu-central-1\/elasticloadbalancing\//);
    response.setHeader('content-type', 'text/xml');
    response.end(
      `<${action}Response xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"><${action}Result>${results[action]?.(asked)}</${action}Result><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></${action}Response>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const variables = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    process.env[name] = value;
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
  const aws = awsLoadBalancers(new AbortController().signal);
  assert.deepEqual(await aws.find('shop.elb.example.com'), { name: 'k8s-shop', arn: balancer });
  assert.equal(await aws.find('nobody.example.com'), undefined);
  const groups = await aws.targetGroups(balancer);
  assert.deepEqual(
    groups.map(({ name, weights }) => [name, weights]),
    [
      ['stable', [90]],
      ['canary', [10]],
    ],
  );
  assert.equal(groups[1]?.tags.get('ingress.k8s.aws/resource'), 'shop/web-canary:80');
  assert.deepEqual(await aws.targets(group('canary')), ['10.0.0.1:8080']);
  assert.equal(actions.filter((action) => action === 'DescribeLoadBalancers').length, 4);
});
