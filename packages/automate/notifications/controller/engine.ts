import { type Diagnosis, diagnose, diagnosisOf, failure } from '@tiphys/diagnosis';
import type { Catalogue } from '../catalog/catalogue.ts';
import { optionMissing, serviceUnknown, templateUnknown, triggerForeign, triggerUnknown } from '../model/diagnoses.ts';
import type { Condition, Destination, Notification } from '../model/notification.ts';
import { serviceTypes } from '../services/index.ts';
import type { Send } from '../services/service.ts';
import { entryProblems } from '../settings/entry-problems.ts';
import type { Settings } from '../settings/settings.ts';
import { NotificationTemplate } from '../templates/notification-template.ts';
import { Trigger } from '../triggers/trigger.ts';
import type { Variables } from '../variables/variables.ts';
import type { NotifiedKind } from './family.ts';

/** What an expression begins to read, such as `app` in `app.status`; with a hyphen it is another name. */
const namesInExpression = /(?<![\w.$])(\w+-?)/g;
/** The same of a template, such as `app` in `{{.app.status}}`. */
const namesInTemplate = /(?<![\w)\]])\.(\w+-?)/g;

/** Settings ready to be used: what of them was asked for once is compiled. */
export class Engine {
  readonly settings: Settings;
  readonly catalogue: Catalogue;
  readonly #triggers = new Map<string, Trigger | undefined>();
  readonly #templates = new Map<string, NotificationTemplate>();
  readonly #services = new Map<string, Send>();
  /** By variable and trigger: each pass over each object asks. */
  readonly #spoken = new Map<string, boolean>();

  constructor(settings: Settings, catalogue: Catalogue) {
    this.settings = settings;
    this.catalogue = catalogue;
  }

  /** Of the settings, else of the catalogue. */
  trigger(name: string): Trigger | undefined {
    if (!this.#triggers.has(name)) {
      const conditions = this.settings.triggers.get(name) ?? this.catalogue.triggers.get(name);
      this.#triggers.set(name, conditions && new Trigger(conditions));
    }
    return this.#triggers.get(name);
  }

  /** What is wrong with a trigger that a subscription names; undefined if there is one. */
  triggerProblem(name: string): Diagnosis | undefined {
    if (this.trigger(name)) return undefined;
    const known = [...new Set([...this.settings.triggers.keys(), ...this.catalogue.triggers.keys()])].sort();
    return diagnose(triggerUnknown, {
      message: `There is no trigger ${name}, so that its subscribers get nothing`,
      remedies: [
        `Correct the subscription, or add trigger.${name} to the ConfigMap of the notifications; there are ${known.join(', ') || 'none'}`,
      ],
    });
  }

  /** What keeps a service from sending, as far as it is known before anything is sent. */
  serviceProblem(service: string): Diagnosis | undefined {
    try {
      this.sender({ service, recipient: '' });
      return undefined;
    } catch (error) {
      return diagnosisOf(error);
    }
  }

  /** Whether a trigger reads the time, so that it may change its mind although the object does not. */
  dependsOnTime(name: string): boolean {
    const conditions = this.settings.triggers.get(name) ?? this.catalogue.triggers.get(name) ?? [];
    return conditions.some(({ when, oncePer }) => /\bNow\b|\bnow\s*\(/.test(`${when} ${oncePer}`));
  }

  /** Whether a trigger, or one of templates, speaks of a variable. */
  mentions(
    variable: string,
    { trigger, templates = [] }: { trigger?: string; templates?: readonly string[] },
  ): boolean {
    const conditions = trigger ? (this.settings.triggers.get(trigger) ?? this.catalogue.triggers.get(trigger)) : [];
    const documents = templates.map((name) => this.settings.templates.get(name) ?? this.catalogue.templates.get(name));
    return JSON.stringify([conditions, documents]).includes(variable);
  }

  /** Whether a trigger, or what it sends, speaks of a variable, as `app.status` and `{{.app.status}}` do. */
  #speaksOf(trigger: string, variable: string): boolean {
    const conditions = this.settings.triggers.get(trigger) ?? this.catalogue.triggers.get(trigger);
    // annotations may name anything, which is not kept
    if (!conditions) return false;
    const key = `${variable} ${trigger}`;
    const spoken = this.#spoken.get(key) ?? this.#findSpoken(conditions, variable);
    this.#spoken.set(key, spoken);
    return spoken;
  }

  #findSpoken(conditions: readonly Condition[], variable: string): boolean {
    const isIn = (text: string, names: RegExp) => [...text.matchAll(names)].some(([, name]) => name === variable);
    if (conditions.some(({ when, oncePer }) => isIn(`${when} ${oncePer}`, namesInExpression))) return true;
    return conditions
      .flatMap(({ send }) => send)
      .map((name) => this.settings.templates.get(name) ?? this.catalogue.templates.get(name) ?? {})
      .some((template) => isIn(JSON.stringify(template), namesInTemplate));
  }

  /** Whether a trigger asks about a kind, about others that share its settings, or about none in particular. */
  subjectOf(trigger: string, { variable, shares }: Pick<NotifiedKind, 'variable' | 'shares'>): 'own' | 'other' | 'any' {
    if (this.#speaksOf(trigger, variable)) return 'own';
    return shares?.variables.some((other) => this.#speaksOf(trigger, other)) ? 'other' : 'any';
  }

  /** What is wrong with a subscription of an object to a trigger that asks about another kind. */
  foreignTrigger(name: string, family: Pick<NotifiedKind, 'kind' | 'variable' | 'shares'>): Diagnosis {
    const own = [...new Set([...this.settings.triggers.keys(), ...this.catalogue.triggers.keys()])]
      .filter((trigger) => this.subjectOf(trigger, family) === 'own')
      .sort();
    return diagnose(triggerForeign, {
      message: `The trigger ${name} does not ask about ${family.variable}, so that nobody is told by it of this ${family.kind}`,
      remedies: [
        `Subscribe to a trigger of ${family.kind}s: ${own.join(', ') || `add one that asks about ${family.variable}`}`,
      ],
    });
  }

  template(name: string): NotificationTemplate {
    let template = this.#templates.get(name);
    if (!template) {
      const document = this.settings.templates.get(name) ?? this.catalogue.templates.get(name);
      if (!document)
        throw failure(templateUnknown, {
          message: `There is no template ${name}`,
          evidence: { templates: [...this.settings.templates.keys()].sort().join(', ') || '(none)' },
          remedies: [`Add template.${name} to the ConfigMap of the notifications, or correct the trigger`],
        });
      template = new NotificationTemplate(name, document);
      this.#templates.set(name, template);
    }
    return template;
  }

  /** Renders templates one over the other. */
  render(names: readonly string[], variables: Variables): Promise<Notification> {
    return variables.read((values) => {
      const notification: Notification = { message: '', sections: {} };
      for (const name of names) this.template(name).apply(notification, values);
      return notification;
    });
  }

  /** What sends to a destination. Throws a `DiagnosisError` for a service that is not there, or not complete. */
  sender({ service }: Destination): Send {
    let send = this.#services.get(service);
    if (send) return send;
    const settings = this.settings.services.get(service);
    if (!settings)
      throw failure(serviceUnknown, {
        message: `There is no service ${service}`,
        evidence: { services: [...this.settings.services.keys()].sort().join(', ') || '(none)' },
        remedies: [
          `Add service.${service} (or service.TYPE.${service}) to the ConfigMap of the notifications, or correct the subscription`,
        ],
      });
    const factory = serviceTypes.get(settings.type);
    if (!factory)
      throw failure(serviceUnknown, {
        message: `There is no type of services ${settings.type}`,
        evidence: { types: [...serviceTypes.keys()].join(', ') },
        remedies: [`Correct service.${settings.type} in the ConfigMap of the notifications`],
      });
    if (settings.missing.length > 0)
      throw failure(optionMissing, {
        message: `The service ${service} refers to keys that the Secret of the notifications does not have: ${settings.missing.join(', ')}`,
        remedies: ['Add the keys to the Secret'],
      });
    send = factory(settings.options);
    this.#services.set(service, send);
    return send;
  }

  /** Everything that is wrong with the settings, found without any object. */
  problems(): Diagnosis[] {
    return entryProblems(this.settings, {
      serviceProblem: (name) => this.serviceProblem(name),
      triggerProblem: (name) => this.triggerProblem(name),
      expressionProblems: (name) => this.trigger(name)?.problems() ?? [],
      templateProblem: (name) => {
        try {
          this.template(name);
          return undefined;
        } catch (error) {
          return diagnosisOf(error);
        }
      },
    });
  }
}
