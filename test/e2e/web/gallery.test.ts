import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const recordings = join(import.meta.dirname, 'recordings');
/** Writes what is drawn now in the place of what was: `TIPHYS_RECORD=1 node --test test/e2e/web/gallery.test.ts`, and look at the change. */
const recording = process.env.TIPHYS_RECORD === '1';

/**
 * What is drawn of each specimen, a line an element: what it is, its words, colours and measures that do not depend on the fonts of
 * a machine, and how it lays out what is in it. Pixels would differ with fonts, and widths with words.
 */
const outlineScript = `[...document.querySelectorAll('[data-specimen]')].map((specimen) => {
  const lines = [];
  const visit = (element, depth) => {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (style.display === 'none' || style.visibility === 'hidden' || (box.width === 0 && box.height === 0)) return;
    const words = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent.trim()).filter(Boolean).join(' ');
    const painted = style.backgroundColor !== 'rgba(0, 0, 0, 0)';
    const edge = ['Top', 'Right', 'Bottom', 'Left'].map((side) => style['border' + side + 'Style'] === 'none' ? '0' : style['border' + side + 'Width'].replace('px', '')).join('/');
    const layout = /flex|grid/.test(style.display) ? style.display + (style.flexDirection === 'column' ? ' down' : '') + (style.display.includes('grid') ? ' of ' + style.gridTemplateColumns.split(' ').length : '') : '';
    const parts = [
      words && JSON.stringify(words),
      words && style.fontSize + '/' + style.fontWeight + ' ' + style.color,
      painted && 'on ' + style.backgroundColor,
      edge !== '0/0/0/0' && 'edge ' + edge,
      style.position !== 'static' && style.position !== 'relative' && style.position,
      layout,
      element.getAttribute('aria-label') && 'named ' + element.getAttribute('aria-label'),
    ].filter(Boolean);
    const told = parts.length > 0;
    if (told) lines.push('  '.repeat(depth) + element.tagName.toLowerCase() + ': ' + parts.join(', '));
    if (element.tagName !== 'svg') for (const child of element.children) visit(child, depth + (told ? 1 : 0));
  };
  visit(specimen, 0);
  return lines.join('\\n');
}).join('\\n\\n') + '\\n'`;

/** Elements of specimens whose words are cut, or that reach out of the page; those that are cut on purpose have a title with all of it, or scroll. */
const faultsScript = `[...document.querySelectorAll('[data-specimen] *')].flatMap((element) => {
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  if (box.width === 0 || element.closest('[title]') || style.position === 'absolute' || style.clip !== 'auto') return [];
  const cut = style.overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1 && element.children.length === 0;
  const out = box.right > innerWidth + 1 && !element.closest('[tabindex="0"]');
  return cut || out ? [(cut ? 'cut: ' : 'reaches out: ') + element.tagName + ' ' + element.textContent.slice(0, 60)] : [];
})`;

describe('components in each of their states', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  before(async () => {
    world = await World.start({ web: true });
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  const looks = [
    ['wide-light', 1440, 'light'],
    ['wide-dark', 1440, 'dark'],
    ['phone-light', 390, 'light'],
    ['phone-dark', 390, 'dark'],
  ] as const;
  for (const [name, width, colorScheme] of looks)
    test(`are drawn as they were: ${name}`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto(`${world.url}/gallery`);
      await page.getByText('the cluster does not answer').waitFor();
      await page.getByText('permission denied: clusters, get, *').waitFor();
      await page.getByText('worker-with-a-name').waitFor();
      await page.evaluate('document.fonts.ready.then(() => undefined)');
      assert.deepEqual(await page.evaluate<string[]>(faultsScript), []);
      assert.deepEqual(await web.barriers(), []);
      const drawn = await page.evaluate<string>(outlineScript);
      const file = join(recordings, `gallery-${name}.txt`);
      if (recording) {
        mkdirSync(recordings, { recursive: true });
        writeFileSync(file, drawn);
      }
      assert.ok(existsSync(file), `nothing was recorded as ${file}: run with TIPHYS_RECORD=1`);
      assert.deepEqual(drawn.split('\n'), readFileSync(file, 'utf8').split('\n'));
    });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
