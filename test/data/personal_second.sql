-- A second labelled sample for sdc.find_personal: 12 tables of 240 rows, as other
-- people's databases have them, in English, German, French and Spanish, with
-- abbreviations, messy values and columns that mislead.  It was written before
-- its writer had looked at the words and bounds of src/kernel/risk/personal.c.
-- Numbers with check digits are computed here; all persons are made up.
CREATE SCHEMA second;
CREATE FUNCTION second.pick(a text[], i int) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT a[1 + (hashint4(i) & 2147483647) % cardinality(a)] $$;
CREATE FUNCTION second.digits(n int, i int) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT string_agg(((hashint4(i * 100 + k) & 2147483647) % 10)::text, '' ORDER BY k) FROM generate_series(1, n) AS k $$;
CREATE FUNCTION second.iban(cc text, b text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT cc || lpad((98 - string_agg(CASE WHEN c ~ '\d' THEN c ELSE (ascii(c) - 55)::text END, '' ORDER BY n)::numeric % 97)::text, 2, '0') || b
   FROM (SELECT n, substr(b || cc || '00', n, 1) AS c FROM generate_series(1, length(b) + 4) AS n) AS q $$;
-- The numbers of persons and things that other people check by a digit.
CREATE FUNCTION second.dni(i int) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT d || substr('TRWAGMYFPDXBNJZSQVHLCKE', 1 + d::int % 23, 1) FROM (SELECT second.digits(8, i) AS d) AS q $$;
CREATE FUNCTION second.nir(i int) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT b || lpad((97 - b::bigint % 97)::text, 2, '0')
   FROM (SELECT (1 + i % 2)::text || lpad((40 + i * 7 % 60)::text, 2, '0') || lpad((1 + i % 12)::text, 2, '0') || lpad((1 + i * 13 % 95)::text, 2, '0') || second.digits(6, i) AS b) AS q $$;
CREATE FUNCTION second.ean(i int) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT d || (10 - (SELECT sum(substr(d, k, 1)::int * CASE WHEN k % 2 = 0 THEN 3 ELSE 1 END) FROM generate_series(1, 12) AS k) % 10) % 10
   FROM (SELECT '40' || second.digits(10, i) AS d) AS q $$;
CREATE TABLE second.word (list text PRIMARY KEY, words text[]);
INSERT INTO second.word VALUES
('enf', '{Aaliyah,Brandon,Chloe,Darnell,Ethan,Fatima,Grace,Hunter,Isabella,Jamal,Kayla,Logan,Mackenzie,Nathan,Olivia,Priya,Quincy,Rebecca,Samuel,Tyler,Uma,Victoria,Wesley,Xavier,Yolanda,Zachary,Minh,Wei,Siobhan,Aisha}'),
('enl', '{Okafor,Bradley,Chen,Dawson,Eriksen,Fitzgerald,Greenwood,Hussain,Ivanov,Jefferson,Kowalczyk,Lindgren,MacDonald,Nguyen,O''Brien,Patel,Quigley,Rosenberg,Singh,Tanaka,Underwood,Velazquez,Whitaker,Yamamoto,Zielinski,Abernathy,Blackwood,Castellano}'),
('def', '{Anneliese,Björn,Cem,Dorothea,Eberhard,Fatma,Gisela,Heinz,Ingeborg,Jörg,Karl-Heinz,Lieselotte,Mehmet,Nadja,Olaf,Petra,Rüdiger,Sieglinde,Torsten,Ulrike,Volker,Waltraud,Yusuf,Zeynep,Agnieszka,Sven}'),
('del', '{Ackermann,Böhm,Celik,Dietrich,Engelhardt,Fröhlich,Götz,Haberkorn,Ivanovic,Jürgens,Kirchhoff,Löffler,Mühlbauer,Nowak,Öztürk,Pfannenstiel,Rademacher,Schönfeld,Trautmann,Unger,Vogelsang,Wiedemann,Yildirim,Zimmermann,von der Heyde,Kaminski}'),
('frf', '{Amélie,Bastien,Chantal,Djibril,Éloïse,Fabrice,Geneviève,Hugues,Inès,Jean-Luc,Karim,Laetitia,Mamadou,Noémie,Océane,Pascal,Quentin,Raphaël,Solène,Thibault,Ursule,Véronique,Yann,Zoé,Aïcha,Gaëtan}'),
('frl', '{Arnaud,Benali,Chevalier,Diallo,Escoffier,Fontaine,Guillemot,Hernandez,Imbert,Jacquet,Kerbrat,Lefebvre,Marchetti,Nguyen,Ollivier,Péchard,Quéméner,Rousseau,Sautereau,Traoré,Vasseur,Zidane,Le Goff,de La Tour}'),
('esf', '{Ainhoa,Borja,Concepción,Domingo,Encarnación,Fermín,Guadalupe,Hortensia,Íñigo,José Luis,Lourdes,María José,Nerea,Óscar,Purificación,Ramiro,Soledad,Tomás,Úrsula,Vanesa,Ximena,Yago,Zulema,Andreu,Mohamed}'),
('esl', '{Aguirre,Benítez,Cifuentes,Del Río,Echevarría,Fuentes,Goicoechea,Hidalgo,Iglesias,Jurado,Larrañaga,Montoya,Noguera,Ordóñez,Pizarro,Quintero,Rebollo,Sepúlveda,Tejedor,Urrutia,Valverde,Ybarra,Zapatero,El Amrani}'),
('enc', '{Akron,Boise,Chattanooga,Des Moines,El Paso,Fargo,Green Bay,Huntsville,Joliet,Kalamazoo,Lubbock,Missoula,Nashua,Olympia,Poughkeepsie,Rochester,Spokane,Tulsa,Waco,Yonkers}'),
('dec', '{Aachen,Bad Kreuznach,Cottbus,Delmenhorst,Eisenach,Flensburg,Görlitz,Hameln,Itzehoe,Kempten,Lüneburg,Memmingen,Neuss,Oldenburg,Passau,Quedlinburg,Reutlingen,Speyer,Tuttlingen,Wismar}'),
('frc', '{Angoulême,Brest,Carcassonne,Dunkerque,Épinal,Fréjus,Guéret,Hyères,Issoudun,Laval,Montélimar,Niort,Orthez,Quimper,Roanne,Saint-Malo,Tarbes,Vesoul,Voiron,Yvetot}'),
('esc', '{Albacete,Badajoz,Cartagena,Dos Hermanas,Elche,Figueras,Getafe,Huelva,Igualada,Jaén,Logroño,Motril,Oviedo,Ponferrada,Reus,Soria,Tarancón,Utrera,Vigo,Zamora}');
CREATE FUNCTION second.w(l text, i int) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT second.pick(words, i + length(l) * 7919 + ascii(l) * 31) FROM second.word WHERE list = l $$;
CREATE TABLE second.label (tab text, col text, kind text, PRIMARY KEY (tab, col));	-- kind NULL: not personal

-- 1 English, a service on the web
CREATE TABLE second.accounts AS SELECT i AS "accountId", second.w('enf', i) AS "givenName", second.w('enl', i) AS "familyName",
	CASE WHEN i % 5 = 0 THEN lower(second.w('enf', i)) || i ELSE second.w('enf', i) || ' ' || second.w('enl', i) END AS "displayName",
	lower(second.w('enf', i)) || '.' || i || '@' || second.pick('{gmail.test,acme.test,mail.test}', i) AS "emailAddress",
	CASE WHEN i % 3 = 0 THEN NULL ELSE '(' || second.pick('{212,415,608}', i) || ') ' || second.digits(3, i) || '-' || second.digits(4, i + 1) END AS "mobileNumber",
	'203.0.' || i % 250 || '.' || i * 7 % 250 AS "lastLoginIp", md5('p' || i) || md5('q' || i) AS "passwordHash",
	upper(substr(md5('t' || i), 1, 16)) AS "mfaSecret", second.pick('{America/Chicago,Europe/Paris,Asia/Tokyo}', i) AS "timeZone",
	second.pick('{free,team,enterprise}', i) AS "planTier", i % 2 = 0 AS "emailVerified", now() - i * interval '1 day' AS "createdAt",
	second.pick('{google,newsletter,friend,conference}', i) AS "signupSource", (i * 37 % 400)::int AS "loginCount"
	FROM generate_series(1, 240) AS i;
INSERT INTO second.label VALUES ('accounts', 'givenName', 'first_name'), ('accounts', 'familyName', 'last_name'), ('accounts', 'displayName', 'name'), ('accounts', 'emailAddress', 'email'),
('accounts', 'mobileNumber', 'phone'), ('accounts', 'lastLoginIp', 'ip'), ('accounts', 'passwordHash', 'secret'), ('accounts', 'mfaSecret', 'secret'), ('accounts', 'timeZone', NULL),
('accounts', 'planTier', NULL), ('accounts', 'emailVerified', NULL), ('accounts', 'createdAt', NULL), ('accounts', 'signupSource', NULL), ('accounts', 'loginCount', NULL);

-- 2 English, a hospital
CREATE TABLE second.pat AS SELECT 'MRN' || lpad((i * 7919 % 999983)::text, 7, '0') AS mrn, upper(second.w('enl', i) || ', ' || second.w('enf', i)) AS pt_nm,
	CASE WHEN i % 40 = 0 THEN 'unk' ELSE to_char(date '1931-01-01' + i * 101 % 29000, 'MM/DD/YYYY') END AS dob, second.pick('{M,F,U}', i) AS sex,
	second.pick('{White,Black,Asian,Hispanic,Declined}', i) AS race, (i * 13 % 9000 + 10) || ' ' || second.pick('{Maple St,N 5th Ave,County Rd 12,Elm Court,Sunset Blvd}', i) AS addr_ln1,
	CASE WHEN i % 4 = 0 THEN 'Apt ' || i % 30 END AS addr_ln2, second.w('enc', i) AS cty, second.pick('{OH,ID,TN,IA,TX,ND,WI}', i) AS st,
	lpad((i * 6151 % 99000 + 501)::text, 5, '0') AS zip5, second.digits(3, i) || '-' || second.digits(3, i + 1) || '-' || second.digits(4, i + 2) AS hm_ph,
	CASE WHEN i % 2 = 0 THEN second.digits(10, i + 5) ELSE '' END AS wrk_ph, second.w('enf', i + 9) || ' ' || second.w('enl', i) || second.pick('{ (wife), (son), (daughter), (neighbor)}', i) || ' 555-' || second.digits(3, i) || '-' || second.digits(4, i) AS emerg_cntct,
	second.pick('{E11.9,I10,J45.909,F32.1,C50.911,B20}', i) AS dx_cd, second.digits(4, i + 3) AS ssn4, i % 60 + 1 AS bed_no, second.pick('{3 West,ICU,Oncology,ED}', i) AS ward,
	second.pick('{Aetna,BCBS,Medicare,Self}', i) AS payer, (i * 17 % 21)::int AS los_days FROM generate_series(1, 240) AS i;
INSERT INTO second.label VALUES ('pat', 'mrn', 'id'), ('pat', 'pt_nm', 'name'), ('pat', 'dob', 'birth'), ('pat', 'sex', 'sex'), ('pat', 'race', 'religion'), ('pat', 'addr_ln1', 'address'), ('pat', 'cty', 'city'),
('pat', 'zip5', 'postcode'), ('pat', 'hm_ph', 'phone'), ('pat', 'wrk_ph', 'phone'), ('pat', 'emerg_cntct', 'text'), ('pat', 'dx_cd', 'health'), ('pat', 'ssn4', 'national_id'),
('pat', 'bed_no', NULL), ('pat', 'ward', NULL), ('pat', 'payer', NULL), ('pat', 'los_days', NULL);

-- 3 English, a blog
CREATE TABLE second.wp_comments AS SELECT i AS comment_id, CASE WHEN i % 7 = 0 THEN 'admin' ELSE second.w('enf', i) || ' ' || substr(second.w('enl', i), 1, 1) || '.' END AS comment_author,
	CASE WHEN i % 6 = 0 THEN '' ELSE second.w('enf', i) || second.digits(3, i) || '@example.test' END AS comment_author_email, ('198.51.100.' || i % 250)::inet AS comment_author_ip,
	CASE WHEN i % 50 = 0 THEN 'please mail me at j.' || i || '@home.test' ELSE second.pick('{Great post!,I do not agree with point 2.,"Thanks, this helped.",First!}', i) END AS comment_content,
	i % 9 AS comment_karma, second.pick('{comment,pingback,trackback}', i) AS comment_type, second.pick('{approved,spam,trash}', i) AS comment_status,
	'https://blog.test/?p=' || i % 40 AS guid, (second.pick('{home,about,contact}', i)) AS slug FROM generate_series(1, 240) AS i;
INSERT INTO second.label VALUES ('wp_comments', 'comment_author', 'name'), ('wp_comments', 'comment_author_email', 'email'), ('wp_comments', 'comment_author_ip', 'ip'), ('wp_comments', 'comment_content', 'text'),
('wp_comments', 'comment_karma', NULL), ('wp_comments', 'comment_type', NULL), ('wp_comments', 'comment_status', NULL), ('wp_comments', 'guid', NULL), ('wp_comments', 'slug', NULL);

-- 4 English, things that look like people
CREATE TABLE second.inventory AS SELECT second.pick('{Desk lamp,Office chair,USB cable,Notebook A5}', i) || ' ' || i AS product_name, second.pick('{Bosch,Philips,Ikea,Sony}', i) AS brand,
	'XR-' || second.digits(4, i) AS model_name, second.ean(i) AS ean, 'SO-2024-' || lpad(i::text, 6, '0') AS order_no, 1 + i % 5 || '.' || i % 9 || '.' || i % 7 || '.' || i % 30 AS version,
	second.pick('{Violet,Ruby,Olive,Amber,Jade,Rose}', i) AS color, second.pick('{April,May,June,August}', i) AS month_name, second.pick('{Georgia,Virginia,Carolina,Dakota}', i) AS state_name,
	second.pick('{Ginger,Rosemary,Basil,Saffron}', i) AS flavour, (i * 1.7)::numeric(9, 2) AS street_price, 'tpl_' || i % 8 || '.html' AS email_template, second.pick('{iPhone 12,Pixel 6,Galaxy S20}', i) AS phone_model,
	i % 4 AS city_tier, second.pick('{ipv4,ipv6}', i) AS address_family, 'srv-' || i || '.lan' AS host_name, 'img_' || i || '.png' AS file_name, now() - i * interval '1 hour' AS last_name_update,
	(i % 30 / 10.0)::numeric(4, 1) AS birth_rate, i % 12 AS contact_count, 1600000000 + i * 86400 AS unix_ts, i * 100 AS amount_cents, second.pick('{Mercury,Austin,Lincoln,Dallas}', i) AS codename,
	i % 2 = 0 AS first_name_required, ('2024-01-01'::date + i % 300) AS shipped_on, 'INV' || second.digits(8, i) AS invoice, second.pick('{A,B,C}', i) || second.digits(3, i) AS shelf FROM generate_series(1, 240) AS i;
INSERT INTO second.label SELECT 'inventory', attname, NULL FROM pg_attribute WHERE attrelid = 'second.inventory'::regclass AND attnum > 0;

-- 5 German, a club
CREATE TABLE second.mitglied AS SELECT i AS mitgl_nr, second.pick('{Herr,Frau,Divers}', i) AS anrede, second.w('def', i) AS vname, second.w('del', i) AS nname,
	second.pick('{Lindenstr.,Am Anger,Bahnhofstraße,Kirchplatz,Hinterm Deich}', i) || ' ' || i % 90 + 1 || second.pick('{"",a,b}', i) AS strasse_hnr, lpad((i * 6367 % 98000 + 1067)::text, 5, '0') AS plz, second.w('dec', i) AS ort,
	CASE WHEN i % 4 = 0 THEN '-' ELSE '0' || second.digits(3, i + 1) || '/' || second.digits(6, i) END AS tel_priv, CASE WHEN i % 3 = 0 THEN NULL ELSE '01' || second.pick('{51,60,76}', i) || ' ' || second.digits(7, i) END AS handy,
	lower(translate(second.w('del', i), 'äöüÖ ', 'aouO_')) || i || '@post.test' AS mail, to_char(date '1935-01-01' + i * 97 % 27000, 'DD.MM.YYYY') AS gebdat, second.iban('DE', second.digits(18, i)) AS iban,
	second.w('def', i + 3) || ' ' || second.w('del', i) AS kontoinhaber, 36 + i % 3 * 12 AS beitrag, second.pick('{ev,rk,keine,isl}', i) AS konfession, second.pick('{led,verh,gesch,verw}', i) AS famstand,
	CASE WHEN i % 30 = 0 THEN 'Rückruf unter 0171 / 555' || i || '0 erbeten' ELSE second.pick('{zahlt bar,"",Beitrag offen,Ehrenmitglied}', i) END AS notiz,
	lpad((i * 7 % 90)::text, 2, '0') || to_char(date '1935-01-01' + i * 97 % 27000, 'DDMMYY') || substr(second.w('del', i), 1, 1) || second.digits(3, i) AS rvnr,
	second.pick('{B,HH,M,KA,EU}', i) || '-' || second.pick('{AB,XY,K,LM}', i) || ' ' || second.digits(3, i) AS kfz_kennz, substr('AHKMPT', 1 + i % 6, 1) || second.digits(9, i) AS versnr,
	second.pick('{Fußball,Turnen,Judo}', i) AS abteilung, second.pick('{SEPA,Rechnung}', i) AS zahlart, i % 2 = 1 AS newsletter FROM generate_series(1, 240) AS i;
INSERT INTO second.label VALUES ('mitglied', 'anrede', 'sex'), ('mitglied', 'vname', 'first_name'), ('mitglied', 'nname', 'last_name'), ('mitglied', 'strasse_hnr', 'address'), ('mitglied', 'plz', 'postcode'), ('mitglied', 'ort', 'city'),
('mitglied', 'tel_priv', 'phone'), ('mitglied', 'handy', 'phone'), ('mitglied', 'mail', 'email'), ('mitglied', 'gebdat', 'birth'), ('mitglied', 'iban', 'iban'), ('mitglied', 'kontoinhaber', 'name'), ('mitglied', 'beitrag', NULL),
('mitglied', 'konfession', 'religion'), ('mitglied', 'famstand', 'status'), ('mitglied', 'notiz', 'text'), ('mitglied', 'rvnr', 'national_id'), ('mitglied', 'kfz_kennz', 'plate'), ('mitglied', 'versnr', 'national_id'),
('mitglied', 'abteilung', NULL), ('mitglied', 'zahlart', NULL), ('mitglied', 'newsletter', NULL);

-- 6 German, names of columns as in old business software
CREATE TABLE second.kna1 AS SELECT lpad((i * 7)::text, 10, '0') AS kunnr, CASE WHEN i % 9 = 0 THEN 'Familie ' ELSE '' END || second.w('def', i) || ' ' || second.w('del', i + 4) AS name1,
	second.pick('{Hauptstr. ,Mühlweg ,Goethestraße ,An der Aue }', i) || i % 120 + 1 AS stras, upper(second.w('dec', i)) AS ort01, lpad((i * 3571 % 98000 + 1067)::text, 5, '0') AS pstlz,
	'+49 ' || second.digits(3, i) || ' ' || second.digits(6, i + 2) AS telf1, second.pick('{DE,AT,CH}', i) AS land1, second.pick('{KUNA,DEBI,CPD}', i) AS ktokd, second.pick('{D,E,F}', i) AS spras,
	to_char(date '2015-01-01' + i * 11 % 3000, 'YYYYMMDD') AS erdat, second.pick('{Z014,Z030,NT60}', i) AS zterm, (i * 311 % 90000)::numeric(12, 2) AS umsatz FROM generate_series(1, 240) AS i;
INSERT INTO second.label VALUES ('kna1', 'kunnr', 'id'), ('kna1', 'name1', 'name'), ('kna1', 'stras', 'address'), ('kna1', 'ort01', 'city'), ('kna1', 'pstlz', 'postcode'), ('kna1', 'telf1', 'phone'),
('kna1', 'ktokd', NULL), ('kna1', 'spras', NULL), ('kna1', 'erdat', NULL), ('kna1', 'zterm', NULL), ('kna1', 'umsatz', NULL);

-- 7 German, things
CREATE TABLE second.lager AS SELECT second.pick('{Schraube,Mutter,Dübel,Winkel}', i) || ' M' || i % 12 AS artikel, (i % 40 * 1.5)::numeric(8, 2) AS gebuehr, second.pick('{gut,mittel,schlecht}', i) AS strassenzustand, i % 9 AS ortsteil_anzahl,
	'de.firma.lager.' || second.pick('{ein,aus,um}', i) AS namensraum, (i % 15 / 10.0)::numeric(4, 1) AS geburtenrate, second.pick('{Flat M,Flat L,Prepaid}', i) AS telefontarif, second.pick('{rot,blau,grün,weiß}', i) AS farbe,
	second.pick('{Januar,April,August,Mai}', i) AS monat, i % 30 AS stadtbezirk_nr, 'vorlage_' || i % 5 || '.txt' AS mail_vorlage, 'H' || i % 9 AS passungsklasse, i % 2 = 0 AS vorname_pflicht, '2024-' || lpad((i % 52)::text, 2, '0') || '-K' AS charge,
	1990 + i % 30 AS baujahr, 'Regal ' || i % 40 AS lagerort, i * 3 % 1000 AS bestand, second.ean(i + 500) AS gtin, now() - i * interval '3 hours' AS geaendert FROM generate_series(1, 240) AS i;
INSERT INTO second.label SELECT 'lager', attname, NULL FROM pg_attribute WHERE attrelid = 'second.lager'::regclass AND attnum > 0;

-- 8 French, an association
CREATE TABLE second.adherent AS SELECT i AS num_adh, second.pick('{M.,Mme,Mlle}', i) AS civilite, upper(second.w('frl', i)) AS nom, second.w('frf', i) AS prenom, CASE WHEN i % 3 = 0 THEN second.w('frl', i + 5) END AS nom_jf,
	to_char(date '1938-01-01' + i * 89 % 26000, 'DD/MM/YYYY') AS dt_naiss, second.w('frc', i + 2) AS lieu_naiss, i % 80 + 1 || second.pick('{" rue des Lilas"," bis avenue Foch",", impasse du Four"," chemin Vert"," place de la Mairie"}', i) AS adr1,
	lpad((i * 409 % 95000 + 1000)::text, 5, '0') AS cp, second.w('frc', i) AS ville, CASE WHEN i % 3 = 0 THEN 'néant' ELSE '0' || 1 + i % 5 || '.' || regexp_replace(second.digits(8, i), '(..)(?=.)', '\1.', 'g') END AS tel_fixe,
	'06 ' || regexp_replace(second.digits(8, i + 1), '(..)(?=.)', '\1 ', 'g') AS port, lower(translate(second.w('frf', i), 'éëïèçÉ ', 'eeiecE.')) || i || '@courrier.test' AS courriel, second.nir(i) AS nir, second.pick('{C,M,D,V,PACS}', i) AS sit_fam,
	second.iban('FR', second.digits(23, i)) AS rib, CASE WHEN i % 25 = 0 THEN 'rappeler au 06 12 34 56 ' || i % 90 + 10 ELSE second.pick('{"à jour",cotisation due,"",bénévole}', i) END AS observations,
	(1400 + i * 17 % 3000)::numeric(8, 2) AS salaire_brut, second.pick('{Tennis,Yoga,Chorale}', i) AS section, i % 2 = 0 AS cotisation_payee, 2000 + i % 24 AS annee_entree FROM generate_series(1, 240) AS i;
INSERT INTO second.label VALUES ('adherent', 'civilite', 'sex'), ('adherent', 'nom', 'last_name'), ('adherent', 'prenom', 'first_name'), ('adherent', 'nom_jf', 'last_name'), ('adherent', 'dt_naiss', 'birth'), ('adherent', 'lieu_naiss', 'city'),
('adherent', 'adr1', 'address'), ('adherent', 'cp', 'postcode'), ('adherent', 'ville', 'city'), ('adherent', 'tel_fixe', 'phone'), ('adherent', 'port', 'phone'), ('adherent', 'courriel', 'email'), ('adherent', 'nir', 'national_id'),
('adherent', 'sit_fam', 'status'), ('adherent', 'rib', 'iban'), ('adherent', 'observations', 'text'), ('adherent', 'salaire_brut', 'income'), ('adherent', 'section', NULL), ('adherent', 'cotisation_payee', NULL), ('adherent', 'annee_entree', NULL);

-- 9 French, things
CREATE TABLE second.catalogue AS SELECT second.pick('{Chaise,Table,Lampe,Étagère}', i) || ' n° ' || i AS nom_produit, 'photo_' || i || '.jpg' AS nom_fichier, i % 300 + 20 AS nombre_pages, i % 2 = 0 AS prenom_obligatoire, i % 7 AS nb_villes,
	'0x7ffe' || substr(md5(i::text), 1, 8) AS adresse_memoire, second.pick('{janvier,avril,mai,août}', i) AS mois, second.pick('{Rose,Violette,Prune,Olive}', i) AS couleur, second.pick('{Vanille,Anis,Mélisse}', i) AS saveur,
	'L' || second.digits(6, i) AS numero_lot, 'ART-' || second.digits(5, i) AS code_article, 8000 + i % 90 AS port_tcp, i % 50 / 10.0 AS poids, now() - i * interval '2 hours' AS date_maj, second.pick('{neuf,occasion}', i) AS etat,
	second.pick('{Paris,Lyon,Lille}', i) || ' Express' AS nom_commercial, (i * 13.9)::numeric(9, 2) AS prix_ttc FROM generate_series(1, 240) AS i;
INSERT INTO second.label SELECT 'catalogue', attname, NULL FROM pg_attribute WHERE attrelid = 'second.catalogue'::regclass AND attnum > 0;

-- 10 Spanish, a school
CREATE TABLE second.alumno AS SELECT i AS id_alumno, second.w('esf', i) AS nombre, second.w('esl', i) AS ape1, second.w('esl', i + 6) AS ape2, upper(second.w('esl', i) || ' ' || second.w('esl', i + 6) || ', ' || second.w('esf', i)) AS nom_completo,
	CASE WHEN i % 8 = 0 THEN lower(second.dni(i)) ELSE second.dni(i) END AS dni, date '2006-01-01' + i * 31 % 3000 AS f_nac, second.pick('{C/ Mayor ,Avda. de la Paz ,Plaza España ,Paseo del Río }', i) || i % 70 + 1 || second.pick('{", 2º B",", bajo",""}', i) AS domicilio,
	lpad((i * 217 % 51000 + 1001)::text, 5, '0') AS cod_post, second.w('esc', i) AS localidad, '9' || second.digits(8, i) AS tfno, '6' || substr(second.digits(8, i + 1), 1, 2) || ' ' || second.digits(6, i) AS movil,
	CASE WHEN i % 5 = 0 THEN NULL ELSE 'familia' || i || '@correo.test' END AS correo, second.w('esf', i + 11) || ' ' || second.w('esl', i) AS padre_tutor, lpad((1 + i % 50)::text, 2, '0') || second.digits(10, i) AS nss,
	second.pick('{Gluten,Ninguna,Lactosa,Frutos secos}', i) AS alergias, 1 + i % 4 || second.pick('{A,B}', i) AS grupo, CASE WHEN i % 20 = 0 THEN 'llamar a la madre, 600 11 22 ' || i % 90 + 10 ELSE second.pick('{"",repite,comedor}', i) END AS observ,
	(i % 100 / 10.0)::numeric(3, 1) AS nota_media, second.pick('{2022/23,2023/24}', i) AS curso, second.pick('{Mañana,Tarde}', i) AS turno FROM generate_series(1, 240) AS i;
INSERT INTO second.label VALUES ('alumno', 'nombre', 'first_name'), ('alumno', 'ape1', 'last_name'), ('alumno', 'ape2', 'last_name'), ('alumno', 'nom_completo', 'name'), ('alumno', 'dni', 'national_id'), ('alumno', 'f_nac', 'birth'), ('alumno', 'domicilio', 'address'),
('alumno', 'cod_post', 'postcode'), ('alumno', 'localidad', 'city'), ('alumno', 'tfno', 'phone'), ('alumno', 'movil', 'phone'), ('alumno', 'correo', 'email'), ('alumno', 'padre_tutor', 'name'), ('alumno', 'nss', 'national_id'), ('alumno', 'alergias', 'health'),
('alumno', 'grupo', NULL), ('alumno', 'observ', 'text'), ('alumno', 'curso', NULL), ('alumno', 'turno', NULL);

-- 11 Spanish, things
CREATE TABLE second.articulos AS SELECT second.pick('{Mesa,Silla,Armario,Lámpara}', i) || ' ' || i AS nombre_articulo, 'NS' || second.digits(9, i) AS num_serie, date '2020-01-01' + i AS fecha_alta, i % 2 = 0 AS correo_enviado, i % 14 AS pasillo,
	(i * 2.3)::numeric(8, 2) AS precio_calle, second.pick('{Moto G8,Redmi 9,Xperia}', i) AS telefono_modelo, second.pick('{Rosa,Blanca,Celeste,Azul}', i) AS color, second.pick('{enero,abril,mayo,agosto}', i) AS mes, i % 40 AS num_ciudades,
	second.pick('{Toledo,Sevilla,Granada}', i) || ' XL' AS modelo, i % 300 AS existencias, 'pl_' || i % 6 AS plantilla_correo, second.pick('{kg,ud,m}', i) AS unidad, i % 90 / 10.0 AS iva FROM generate_series(1, 240) AS i;
INSERT INTO second.label SELECT 'articulos', attname, NULL FROM pg_attribute WHERE attrelid = 'second.articulos'::regclass AND attnum > 0;

-- 12 no names
CREATE TABLE second.f_tab AS SELECT upper(second.w('frf', i)) AS c1, CASE i % 4 WHEN 0 THEN '0049-30-' || second.digits(6, i) WHEN 1 THEN '+33 1 ' || second.digits(8, i) WHEN 2 THEN '0' || second.digits(9, i) ELSE '+44 (0)20 ' || second.digits(4, i) || ' ' || second.digits(4, i + 1) END AS c2,
	to_char(date '1941-01-01' + i * 83 % 25000, 'DD/MM/YYYY') AS c3, regexp_replace(second.iban('ES', second.digits(20, i)), '(....)(?=.)', '\1 ', 'g') AS c4, second.pick('{red,green,blue,violet}', i) AS c5,
	to_char(i * 12.5, 'FM9G990D00') AS c6, second.pick('{OK,KO,PENDING}', i) AS c7, jsonb_build_object('ref', i, 'contact', jsonb_build_object('m', 'x' || i || '@firma.test')) AS c8,
	CASE WHEN i % 33 = 0 THEN 'cc' || i || '@copy.test' ELSE '' END AS c9, lower(second.w('del', i)) AS c10, second.w('enl', i) || ' ' || second.w('enf', i) AS c11, second.pick('{Calle de Alcalá ,Gran Vía ,Avenida del Puerto }', i) || i % 99 + 1 AS c12,
	i % 4 || '.' || i % 13 || '.' || i AS c13, second.pick('{AB,CD,EF}', i) || '-' || second.digits(4, i) AS c14, date '2023-01-01' + i % 365 AS c15, ARRAY['tag' || i % 9, second.pick('{new,sale}', i)] AS c16,
	ARRAY['+1 415 555 ' || second.digits(4, i), '+1 415 555 ' || second.digits(4, i + 7)] AS c17, second.digits(16, i) AS c18, second.pick('{Lorem ipsum dolor,sit amet,consectetur adipiscing}', i) AS c19, (second.dni(i + 900)) AS c20
	FROM generate_series(1, 240) AS i;
INSERT INTO second.label VALUES ('f_tab', 'c1', 'first_name'), ('f_tab', 'c2', 'phone'), ('f_tab', 'c3', 'birth'), ('f_tab', 'c4', 'iban'), ('f_tab', 'c5', NULL), ('f_tab', 'c6', NULL), ('f_tab', 'c7', NULL), ('f_tab', 'c8', 'email'), ('f_tab', 'c9', 'text'),
('f_tab', 'c10', 'last_name'), ('f_tab', 'c11', 'name'), ('f_tab', 'c12', 'address'), ('f_tab', 'c13', NULL), ('f_tab', 'c14', NULL), ('f_tab', 'c15', NULL), ('f_tab', 'c16', NULL), ('f_tab', 'c17', 'phone'), ('f_tab', 'c18', NULL), ('f_tab', 'c19', NULL), ('f_tab', 'c20', 'national_id');
