import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxiedHtml } from './proxy-links.ts';

const page = { prefix: '/api/v1/namespaces/shop/pods/web/proxy', hosts: [] };
const rewritten = (html: string) => proxiedHtml(html, page).replaceAll(page.prefix, '~');

test('links of elements lead through the proxy, and nothing else is changed', () => {
  for (const [html, wanted] of [
    ['<a HREF="/x">x</a>', '<a HREF="~/x">x</a>'],
    ["<img alt='>' src=/x.png>", "<img alt='>' src=~/x.png>"],
    ['1 < 2 <a href=/x>', '1 < 2 <a href=~/x>'],
    ['<!-- <a href="/x"> --><a href="/y">', '<!-- <a href="/x"> --><a href="~/y">'],
    [
      '<SCRIPT src="/s.js">"<a href=\'/no\'>"</Script><link href="/l">',
      '<SCRIPT src="~/s.js">"<a href=\'/no\'>"</Script><link href="~/l">',
    ],
    ['<b href="/x" data-href="/y">', '<b href="/x" data-href="/y">'],
    ['<a data-href="/x" title="a > b" href = \'/y\'>', '<a data-href="/x" title="a > b" href = \'~/y\'>'],
    ['<title><a href="/x">', '<title><a href="/x">'],
    ['<a href="/x', '<a href="/x'],
    ['<!-- <a href="/x">', '<!-- <a href="/x">'],
  ] as const)
    assert.equal(rewritten(html), wanted, html);
});

test('pages that begin much and end nothing come out as they are', () => {
  for (const part of ['<!--', '<a ', '<a "', '<script>', '<a x= ', '<a  ', '<', '<a href="/']) {
    const html = part.repeat(100_000);
    assert.ok(proxiedHtml(html, page) === html, part);
  }
});
