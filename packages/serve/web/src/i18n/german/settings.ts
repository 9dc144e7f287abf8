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
};
