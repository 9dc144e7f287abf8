import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import type { World } from '../support/world.ts';

const executable = process.env.TIPHYS_CHROMIUM ?? '/usr/bin/chromium';

/** Why tests of the page are left out; false if there is a browser. */
export const noBrowser = existsSync(executable) ? false : 'no Chromium: install it or set TIPHYS_CHROMIUM';

const barriersScript = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary.slice(0, 200))))`;

const fadedScript = `new Promise((resolve) => {
  const fades = () => document.getAnimations().some((one) => one instanceof CSSTransition);
  const look = () => (fades() ? requestAnimationFrame(look) : resolve());
  look();
})`;

/** The page of a world in a browser. */
export class WebPage {
  readonly page: Page;
  /** Script errors, and refusals of the page's own security policy. */
  readonly faults: string[] = [];
  readonly #browser: Browser;
  readonly #world: World;

  private constructor(browser: Browser, page: Page, world: World) {
    this.#browser = browser;
    this.#world = world;
    this.page = page;
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && /Content Security Policy|requires 'Trusted/.test(message.text()))
        this.faults.push(message.text());
    });
  }

  /** `world` must serve the page. */
  static async open(world: World): Promise<WebPage> {
    const browser = await chromium.launch({
      executablePath: executable,
      timeout: 120_000,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    });
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(120_000);
    return new WebPage(browser, page, world);
  }

  async logIn(): Promise<void> {
    await this.page.goto(this.#world.url);
    await this.page.fill('input[type=password]', this.#world.password);
    await this.page.click('button[type=submit]');
    await this.page.waitForSelector('h2:has-text("Applications")');
  }

  /** What axe finds serious or worse on the page as it is, as `rule: element`. */
  async barriers(): Promise<string[]> {
    // injected as a function body: the page's policy refuses scripts that are not its own
    await this.page.evaluate(axe.source);
    // what is half faded in has not its contrast yet
    await this.page.evaluate(fadedScript);
    return await this.page.evaluate<string[]>(barriersScript);
  }

  /** By its whole name. */
  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  dialogButton(name: string): Locator {
    return this.page.getByRole('dialog').getByRole('button', { name, exact: true });
  }

  /** `tab` is tree, diff, events, history or renders. */
  async application(name: string, tab = 'tree'): Promise<void> {
    await this.page.goto(`${this.#world.url}/applications/${this.#world.namespace}/${name}/${tab}`);
    await this.page.waitForSelector(`h2:has-text("${name}")`);
  }

  /** Opens the drawer of an object, by its name in the list. */
  async object(kind: string, name: string): Promise<void> {
    const { page } = this;
    await page.click('label:has-text("List")');
    await page.click(`tr:has(:text-is("${kind}")) button:has-text("${name}")`);
    await page.waitForSelector('.cm-editor');
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
