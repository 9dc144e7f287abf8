import type { Catalogue } from '../texts.ts';

export const settings: Catalogue = {
  'Empty: for all projects': 'Leer: für alle Projekte',
  'Only these namespaces': 'Nur diese Namespaces',
  'Empty: the whole cluster': 'Leer: der ganze Cluster',
  Shard: 'Shard',
  'Empty: the controllers share the clusters': 'Leer: die Controller teilen sich die Cluster',
  'A whole number': 'Eine ganze Zahl',
  'Such as env=prod, region=eu': 'Etwa env=prod, region=eu',
  'Cluster-scoped objects too': 'Auch clusterweite Objekte',
  'Although it is limited to namespaces': 'Obwohl auf Namespaces beschränkt',
  'It has no contexts': 'Es hat keine Kontexte',
  Kubeconfig: 'Kubeconfig',
  'What kubectl config view --flatten --minify --raw prints':
    'Was kubectl config view --flatten --minify --raw ausgibt',
  Add: 'Hinzufügen',
  Connect: 'Verbinden',
  'Test connection': 'Verbindung testen',
  'Values files': 'Values-Dateien',
  Images: 'Images',
  'What may be delivered from where to where, when, and by whom.':
    'Was von wo wohin ausgeliefert werden darf, wann und von wem.',
  'Your own password': 'Das eigene Passwort',
  'Of the account that is logged in': 'Des angemeldeten Kontos',
  'New password': 'Neues Passwort',
  'At least 8 characters': 'Mindestens 8 Zeichen',
  'The same again': 'Noch einmal dasselbe',
  'It is not the same': 'Es ist nicht dasselbe',
  'Name of the token': 'Name des Tokens',
  'Empty: one is made up': 'Leer: einer wird erzeugt',
  'Valid for': 'Gültig für',
  'Such as 12h or 90d; empty: for ever': 'Etwa 12h oder 90d; leer: für immer',
  Accounts: 'Konten',
  'Local accounts; who comes by single sign-on has none here.':
    'Lokale Konten; wer über Single Sign-on kommt, hat hier keines.',
  'Make the token': 'Token erstellen',
  'REST as Argo CD has it; gRPC and gRPC-web answer at the same address.':
    'REST, wie Argo CD es hat; gRPC und gRPC-web antworten unter derselben Adresse.',
  'In PEM: the authority, or the server itself': 'In PEM: die Zertifizierungsstelle oder der Server selbst',
  'Lines of known_hosts': 'Zeilen von known_hosts',
  'What ssh-keyscan HOST prints': 'Was ssh-keyscan HOST ausgibt',
  'Certificates and known hosts': 'Zertifikate und bekannte Hosts',
  'By these the control plane knows that a server is who it says.':
    'Daran erkennt die Steuerungsebene, dass ein Server der ist, der er zu sein vorgibt.',
  'None: servers are known by the authorities of the system.':
    'Keine: es gilt, was die Stellen des Systems beglaubigen.',
  'None: repositories by SSH are refused until a host is known.':
    'Keine: Repositorys über SSH werden abgelehnt, bis ein Host bekannt ist.',
  'Public key': 'Öffentlicher Schlüssel',
  'What gpg --export --armor KEY prints': 'Was gpg --export --armor KEY ausgibt',
  'GnuPG keys': 'GnuPG-Schlüssel',
  'Where a project asks for signed commits, they are signed by one of these.':
    'Wo ein Projekt signierte Commits verlangt, sind sie mit einem von diesen signiert.',
  'This is a private key: keep it, and paste the public one':
    'Das ist ein privater Schlüssel: behalten und den öffentlichen einfügen',
  'It begins with -----BEGIN PGP PUBLIC KEY BLOCK-----': 'Es beginnt mit -----BEGIN PGP PUBLIC KEY BLOCK-----',
  Plugins: 'Plugins',
  'Config-management plugins that render applications.':
    'Plugins der Konfigurationsverwaltung, die Anwendungen rendern.',
  'Service accounts that syncs act as': 'Dienstkonten, als die synchronisiert wird',
  'One a line: server, namespace and service account, such as: * pay-* deployer':
    'Eine Zeile je Server, Namespace und Dienstkonto, etwa: * pay-* deployer',
  'A line is a server, a namespace and a service account':
    'Eine Zeile ist ein Server, ein Namespace und ein Dienstkonto',
  'GnuPG keys that commits must be signed with': 'GnuPG-Schlüssel, mit denen Commits signiert sein müssen',
  'One key ID a line; empty: none is asked for': 'Eine Schlüssel-ID je Zeile; leer: keine wird verlangt',
  'A line is a key ID of 16 to 40 hexadecimal digits':
    'Eine Zeile ist eine Schlüssel-ID aus 16 bis 40 Hexadezimalziffern',
  'Allow empty': 'Leeres erlauben',
  'Delete everything when the source has nothing': 'Alles löschen, wenn die Quelle nichts mehr hat',
  'Entries of the history that are kept': 'Einträge des Verlaufs, die behalten werden',
  '{line} has no =': '{line} hat kein =',
  'More fields': 'Weitere Felder',
  'Namespace of the release': 'Namespace des Releases',
  'Empty: that of the destination': 'Leer: der des Ziels',
  'Version of kustomize': 'Version von kustomize',
  'Empty: the built-in one; others are registered in argocd-cm':
    'Leer: die eingebaute; andere werden in argocd-cm eingetragen',
  'Version of Kubernetes': 'Version von Kubernetes',
  'Empty: that of the cluster': 'Leer: die des Clusters',
  'API versions': 'API-Versionen',
  'Labels of all objects': 'Labels aller Objekte',
  'Annotations of all objects': 'Annotationen aller Objekte',
  'These labels win over those of the kustomization': 'Diese Labels gehen denen der Kustomization vor',
  'Labels leave selectors as they are': 'Labels lassen Selektoren, wie sie sind',
  'Labels are given to the templates of pods, too': 'Auch Vorlagen von Pods bekommen die Labels',
  'These annotations win over those of the kustomization': 'Diese Annotationen gehen denen der Kustomization vor',
  'Variables of the build are replaced in the annotations': 'Variablen des Builds werden in den Annotationen ersetzt',
  'Labels of the namespace': 'Labels des Namespace',
  'Annotations of the namespace': 'Annotationen des Namespace',
  'Commit the rendered manifests to a branch, and sync that':
    'Gerenderte Manifeste in einen Branch schreiben und diesen synchronisieren',
  'The source hydrator: what is deployed can be read and reviewed in Git':
    'Der Source Hydrator: Was ausgerollt wird, kann in Git gelesen und begutachtet werden',
  'Hydrated to': 'Hydriert nach',
  'Branch that is synced': 'Branch, der synchronisiert wird',
  'Folder in it': 'Ordner darin',
  'Branch that is written': 'Branch, in den geschrieben wird',
  'Empty: the one that is synced. Another one waits until somebody merges it':
    'Leer: der synchronisierte. Ein anderer wartet, bis ihn jemand merget',
  'Repository of both': 'Repository von beiden',
  'Empty: that of the source': 'Leer: das der Quelle',
  'A branch is needed, to which the manifests are committed':
    'Ein Branch wird gebraucht, in den die Manifeste geschrieben werden',
  'A folder of that branch is needed: each application has its own':
    'Ein Ordner dieses Branches wird gebraucht: Jede Anwendung hat ihren eigenen',
  'Signatures that commits need': 'Signaturen, die Commits brauchen',
  'One a line: patterns of repositories, mode (none, head or strict), keys; commas in lists':
    'Je Zeile: Muster von Repositorys, Modus (none, head oder strict), Schlüssel; Kommas in Listen',
  'A line is patterns of repositories, none, head or strict, and keys after the last two':
    'Eine Zeile besteht aus Mustern von Repositorys, none, head oder strict, und nach den letzten beiden Schlüsseln',
  'Objects that may belong to nobody': 'Objekte, die niemandem gehören müssen',
  'One a line: KIND or GROUP/KIND, and a pattern of names': 'Je Zeile: KIND oder GROUP/KIND, und ein Namensmuster',
  'A line is a kind and a pattern of names': 'Eine Zeile besteht aus einer Art und einem Namensmuster',
};
