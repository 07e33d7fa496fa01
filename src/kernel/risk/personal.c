/*
 * personal.c
 *		What a column holds of persons, by its name and by its values.
 *
 * A name is brought into small words with _ between them and around, in which
 * pieces are looked for.  A value is held against each kind by its characters,
 * its check digits, and lists of names; the kinds are then asked in the order
 * of how sure they are, each with the share that it must have.
 */
#include <string.h>

#include "kernel/mask/pseudonym.h"
#include "kernel/risk/personal.h"

const char *const sdc_personal_words[] = {
	"",         "email",       "iban",      "card",   "mac",
	"ip",       "national_id", "postcode",  "phone",  "address",
	"name",     "first_name",  "last_name", "city",   "text",
	"login",    "birth",       "sex",       "status", "income",
	"religion", "health",      "secret",    "id",     0};

/* ----------------------------------------------------------------------
 * Names of columns.
 * ----------------------------------------------------------------------
 */

/* Pieces of names, with _ where a word begins or ends; the first that is
 * found says the kind. */
static const struct
{
	SdcPersonalKind kind;
	const char *piece;
} pieces[] = {{SDC_PERSONAL_EMAIL, "email"},
			  {SDC_PERSONAL_EMAIL, "e_mail"},
			  {SDC_PERSONAL_EMAIL, "_mail_"},
			  {SDC_PERSONAL_EMAIL, "courriel"},
			  {SDC_PERSONAL_EMAIL, "correo"},
			  {SDC_PERSONAL_EMAIL, "posta_elettronica"},
			  {SDC_PERSONAL_EMAIL, "メール"},
			  {SDC_PERSONAL_PHONE, "phone"},
			  {SDC_PERSONAL_PHONE, "telefo"},
			  {SDC_PERSONAL_PHONE, "teléfono"},
			  {SDC_PERSONAL_PHONE, "téléphone"},
			  {SDC_PERSONAL_PHONE, "_tel_"},
			  {SDC_PERSONAL_PHONE, "mobile"},
			  {SDC_PERSONAL_PHONE, "_movil_"},
			  {SDC_PERSONAL_PHONE, "_móvil_"},
			  {SDC_PERSONAL_PHONE, "handy"},
			  {SDC_PERSONAL_PHONE, "_cell_"},
			  {SDC_PERSONAL_PHONE, "_fax_"},
			  {SDC_PERSONAL_PHONE, "rufnummer"},
			  {SDC_PERSONAL_PHONE, "電話"},
			  {SDC_PERSONAL_PHONE, "携帯"},
			  {SDC_PERSONAL_PHONE, "_ph_"},
			  {SDC_PERSONAL_PHONE, "_tfno_"},
			  {SDC_PERSONAL_PHONE, "_tlf_"},
			  {SDC_PERSONAL_PHONE, "_telf_"},
			  {SDC_PERSONAL_PHONE, "_telnr_"},
			  {SDC_PERSONAL_PHONE, "_gsm_"},
			  {SDC_PERSONAL_PHONE, "_portable_"},
			  {SDC_PERSONAL_LOGIN, "_user_name_"},
			  {SDC_PERSONAL_LOGIN, "_username_"},
			  {SDC_PERSONAL_LOGIN, "_login_"},
			  {SDC_PERSONAL_LOGIN, "_benutzername_"},
			  {SDC_PERSONAL_LOGIN, "nickname"},
			  {SDC_PERSONAL_LOGIN, "screen_name"},
			  {SDC_PERSONAL_LOGIN, "_uname_"},
			  {SDC_PERSONAL_LOGIN, "created_by"},
			  {SDC_PERSONAL_LOGIN, "updated_by"},
			  {SDC_PERSONAL_LOGIN, "modified_by"},
			  {SDC_PERSONAL_LOGIN, "changed_by"},
			  {SDC_PERSONAL_LOGIN, "deleted_by"},
			  {SDC_PERSONAL_LOGIN, "approved_by"},
			  {SDC_PERSONAL_NAME, "nombre_complet"},
			  {SDC_PERSONAL_NAME, "nom_complet"},
			  {SDC_PERSONAL_FIRST_NAME, "first_name"},
			  {SDC_PERSONAL_FIRST_NAME, "firstname"},
			  {SDC_PERSONAL_FIRST_NAME, "given_name"},
			  {SDC_PERSONAL_FIRST_NAME, "middle_name"},
			  {SDC_PERSONAL_FIRST_NAME, "middlename"},
			  {SDC_PERSONAL_FIRST_NAME, "_vorna_"},
			  {SDC_PERSONAL_FIRST_NAME, "_fname_"},
			  {SDC_PERSONAL_FIRST_NAME, "vorname"},
			  {SDC_PERSONAL_FIRST_NAME, "_vname_"},
			  {SDC_PERSONAL_FIRST_NAME, "prenom"},
			  {SDC_PERSONAL_FIRST_NAME, "prénom"},
			  {SDC_PERSONAL_FIRST_NAME, "_nombre_"},
			  {SDC_PERSONAL_FIRST_NAME, "_nome_"},
			  {SDC_PERSONAL_FIRST_NAME, "voornaam"},
			  {SDC_PERSONAL_LAST_NAME, "last_name"},
			  {SDC_PERSONAL_LAST_NAME, "lastname"},
			  {SDC_PERSONAL_LAST_NAME, "surname"},
			  {SDC_PERSONAL_LAST_NAME, "sur_name"},
			  {SDC_PERSONAL_LAST_NAME, "family_name"},
			  {SDC_PERSONAL_LAST_NAME, "_lname_"},
			  {SDC_PERSONAL_LAST_NAME, "nachname"},
			  {SDC_PERSONAL_LAST_NAME, "_nachn_"},
			  {SDC_PERSONAL_LAST_NAME, "_nname_"},
			  {SDC_PERSONAL_LAST_NAME, "geburtsname"},
			  {SDC_PERSONAL_LAST_NAME, "maiden_name"},
			  {SDC_PERSONAL_LAST_NAME, "familienname"},
			  {SDC_PERSONAL_LAST_NAME, "_nom_"},
			  {SDC_PERSONAL_LAST_NAME, "apellido"},
			  {SDC_PERSONAL_LAST_NAME, "cognome"},
			  {SDC_PERSONAL_LAST_NAME, "sobrenome"},
			  {SDC_PERSONAL_LAST_NAME, "achternaam"},
			  {SDC_PERSONAL_NAME, "full_name"},
			  {SDC_PERSONAL_NAME, "fullname"},
			  {SDC_PERSONAL_NAME, "person_name"},
			  {SDC_PERSONAL_NAME, "customer_name"},
			  {SDC_PERSONAL_NAME, "contact_name"},
			  {SDC_PERSONAL_NAME, "razonsocial"},
			  {SDC_PERSONAL_NAME, "razon_social"},
			  {SDC_PERSONAL_NAME, "_ful_name_"},
			  {SDC_PERSONAL_NAME, "account_holder"},
			  {SDC_PERSONAL_NAME, "card_holder"},
			  {SDC_PERSONAL_NAME, "cardholder"},
			  {SDC_PERSONAL_NAME, "kontoinhaber"},
			  {SDC_PERSONAL_NAME, "titulaire"},
			  {SDC_PERSONAL_NAME, "_titular_"},
			  {SDC_PERSONAL_NAME, "ansprechpartner"},
			  {SDC_PERSONAL_NAME, "patient_name"},
			  {SDC_PERSONAL_NAME, "_pt_name_"},
			  {SDC_PERSONAL_NAME, "_pt_nm_"},
			  {SDC_PERSONAL_NAME, "_cust_nm_"},
			  {SDC_PERSONAL_NAME, "employee_name"},
			  {SDC_PERSONAL_NAME, "display_name"},
			  {SDC_PERSONAL_NAME, "氏名"},
			  {SDC_PERSONAL_NAME, "名前"},
			  {SDC_PERSONAL_CITY, "birth_place"},
			  {SDC_PERSONAL_CITY, "birthplace"},
			  {SDC_PERSONAL_CITY, "place_of_birth"},
			  {SDC_PERSONAL_CITY, "geburtsort"},
			  {SDC_PERSONAL_CITY, "_gbort_"},
			  {SDC_PERSONAL_CITY, "lieu_nais"},
			  {SDC_PERSONAL_CITY, "lieu_de_nais"},
			  {SDC_PERSONAL_CITY, "lugar_nac"},
			  {SDC_PERSONAL_CITY, "lugar_de_nac"},
			  {SDC_PERSONAL_BIRTH, "birth"},
			  {SDC_PERSONAL_BIRTH, "_dob_"},
			  {SDC_PERSONAL_BIRTH, "_born_"},
			  {SDC_PERSONAL_BIRTH, "geburt"},
			  {SDC_PERSONAL_BIRTH, "_gbdat_"},
			  {SDC_PERSONAL_BIRTH, "_gebdat"},
			  {SDC_PERSONAL_BIRTH, "_geb_dat"},
			  {SDC_PERSONAL_BIRTH, "_geb_"},
			  {SDC_PERSONAL_BIRTH, "_bday_"},
			  {SDC_PERSONAL_BIRTH, "geboren"},
			  {SDC_PERSONAL_BIRTH, "geboorte"},
			  {SDC_PERSONAL_BIRTH, "naiss"},
			  {SDC_PERSONAL_BIRTH, "nacimiento"},
			  {SDC_PERSONAL_BIRTH, "_nac_"},
			  {SDC_PERSONAL_BIRTH, "_fnac_"},
			  {SDC_PERSONAL_BIRTH, "nascita"},
			  {SDC_PERSONAL_BIRTH, "nascimento"},
			  {SDC_PERSONAL_BIRTH, "生年月日"},
			  {SDC_PERSONAL_BIRTH, "誕生"},
			  {SDC_PERSONAL_IP, "_ip_"},
			  {SDC_PERSONAL_IP, "_ipaddr"},
			  {SDC_PERSONAL_IP, "remote_addr"},
			  {SDC_PERSONAL_MAC, "_mac_addr"},
			  {SDC_PERSONAL_MAC, "_mac_"},
			  {SDC_PERSONAL_ADDRESS, "address"},
			  {SDC_PERSONAL_ADDRESS, "adresse"},
			  {SDC_PERSONAL_ADDRESS, "anschrift"},
			  {SDC_PERSONAL_ADDRESS, "strasse"},
			  {SDC_PERSONAL_ADDRESS, "straße"},
			  {SDC_PERSONAL_ADDRESS, "street"},
			  {SDC_PERSONAL_ADDRESS, "domicilio"},
			  {SDC_PERSONAL_ADDRESS, "direcci"},
			  {SDC_PERSONAL_ADDRESS, "indirizzo"},
			  {SDC_PERSONAL_ADDRESS, "endere"},
			  {SDC_PERSONAL_ADDRESS, "住所"},
			  {SDC_PERSONAL_POSTCODE, "_zip"},
			  {SDC_PERSONAL_POSTCODE, "postcode"},
			  {SDC_PERSONAL_POSTCODE, "post_code"},
			  {SDC_PERSONAL_POSTCODE, "postal"},
			  {SDC_PERSONAL_POSTCODE, "_plz_"},
			  {SDC_PERSONAL_POSTCODE, "_pstlz_"},
			  {SDC_PERSONAL_POSTCODE, "postleitzahl"},
			  {SDC_PERSONAL_POSTCODE, "_cp_"},
			  {SDC_PERSONAL_POSTCODE, "_cod_post"},
			  {SDC_PERSONAL_POSTCODE, "_cap_"},
			  {SDC_PERSONAL_POSTCODE, "郵便"},
			  {SDC_PERSONAL_CITY, "_city_"},
			  {SDC_PERSONAL_CITY, "_ville_"},
			  {SDC_PERSONAL_CITY, "ciudad"},
			  {SDC_PERSONAL_CITY, "_ort_"},
			  {SDC_PERSONAL_CITY, "wohnort"},
			  {SDC_PERSONAL_CITY, "_stadt_"},
			  {SDC_PERSONAL_CITY, "_citta_"},
			  {SDC_PERSONAL_CITY, "_città_"},
			  {SDC_PERSONAL_CITY, "cidade"},
			  {SDC_PERSONAL_CITY, "_town_"},
			  {SDC_PERSONAL_CITY, "_cty_"},
			  {SDC_PERSONAL_CITY, "localidad"},
			  {SDC_PERSONAL_CITY, "municipi"},
			  {SDC_PERSONAL_CITY, "_commune_"},
			  {SDC_PERSONAL_CITY, "市区"},
			  {SDC_PERSONAL_IBAN, "iban"},
			  {SDC_PERSONAL_IBAN, "bank_account"},
			  {SDC_PERSONAL_IBAN, "bankverbindung"},
			  {SDC_PERSONAL_IBAN, "bankkonto"},
			  {SDC_PERSONAL_IBAN, "kontonr"},
			  {SDC_PERSONAL_IBAN, "kontonummer"},
			  {SDC_PERSONAL_IBAN, "compte_bancaire"},
			  {SDC_PERSONAL_IBAN, "cuenta_bancaria"},
			  {SDC_PERSONAL_CARD, "credit_card"},
			  {SDC_PERSONAL_CARD, "card_no"},
			  {SDC_PERSONAL_CARD, "card_num"},
			  {SDC_PERSONAL_CARD, "kreditkarte"},
			  {SDC_PERSONAL_CARD, "carte_bancaire"},
			  {SDC_PERSONAL_CARD, "tarjeta"},
			  {SDC_PERSONAL_NATIONAL_ID, "_ssn_"},
			  {SDC_PERSONAL_NATIONAL_ID, "drivers_lic"},
			  {SDC_PERSONAL_NATIONAL_ID, "_perid_"},
			  {SDC_PERSONAL_NATIONAL_ID, "_ustid_"},
			  {SDC_PERSONAL_NATIONAL_ID, "_vat_id_"},
			  {SDC_PERSONAL_NATIONAL_ID, "taxvat"},
			  {SDC_PERSONAL_NATIONAL_ID, "_nif_"},
			  {SDC_PERSONAL_NATIONAL_ID, "cifnif"},
			  {SDC_PERSONAL_NATIONAL_ID, "_nss_"},
			  {SDC_PERSONAL_NATIONAL_ID, "_rvnr_"},
			  {SDC_PERSONAL_NATIONAL_ID, "_svnr_"},
			  {SDC_PERSONAL_NATIONAL_ID, "_sv_n"},
			  {SDC_PERSONAL_NATIONAL_ID, "versichert"},
			  {SDC_PERSONAL_NATIONAL_ID, "_versnr_"},
			  {SDC_PERSONAL_NATIONAL_ID, "_nhs_n"},
			  {SDC_PERSONAL_NATIONAL_ID, "insurance_n"},
			  {SDC_PERSONAL_NATIONAL_ID, "_numsecu_"},
			  {SDC_PERSONAL_NATIONAL_ID, "_num_secu_"},
			  {SDC_PERSONAL_NATIONAL_ID, "seguridad_social"},
			  {SDC_PERSONAL_NATIONAL_ID, "driver_lic"},
			  {SDC_PERSONAL_NATIONAL_ID, "führerschein"},
			  {SDC_PERSONAL_NATIONAL_ID, "social_sec"},
			  {SDC_PERSONAL_NATIONAL_ID, "_nir_"},
			  {SDC_PERSONAL_NATIONAL_ID, "_dni_"},
			  {SDC_PERSONAL_NATIONAL_ID, "_nie_"},
			  {SDC_PERSONAL_NATIONAL_ID, "passport"},
			  {SDC_PERSONAL_NATIONAL_ID, "pasaporte"},
			  {SDC_PERSONAL_NATIONAL_ID, "reisepass"},
			  {SDC_PERSONAL_NATIONAL_ID, "steuer_id"},
			  {SDC_PERSONAL_NATIONAL_ID, "steuernummer"},
			  {SDC_PERSONAL_NATIONAL_ID, "steuernr"},
			  {SDC_PERSONAL_NATIONAL_ID, "_tax_id_"},
			  {SDC_PERSONAL_NATIONAL_ID, "sozialvers"},
			  {SDC_PERSONAL_NATIONAL_ID, "national_id"},
			  {SDC_PERSONAL_NATIONAL_ID, "codice_fiscale"},
			  {SDC_PERSONAL_NATIONAL_ID, "_cpf_"},
			  {SDC_PERSONAL_NATIONAL_ID, "マイナンバー"},
			  {SDC_PERSONAL_SEX, "gender"},
			  {SDC_PERSONAL_SEX, "_sex_"},
			  {SDC_PERSONAL_SEX, "_sexe_"},
			  {SDC_PERSONAL_SEX, "_sexo_"},
			  {SDC_PERSONAL_SEX, "geschlecht"},
			  {SDC_PERSONAL_SEX, "_gesch_"},
			  {SDC_PERSONAL_SEX, "anrede"},
			  {SDC_PERSONAL_SEX, "civilit"},
			  {SDC_PERSONAL_SEX, "salutation"},
			  {SDC_PERSONAL_SEX, "tratamiento"},
			  {SDC_PERSONAL_SEX, "性別"},
			  {SDC_PERSONAL_STATUS, "marital"},
			  {SDC_PERSONAL_STATUS, "familienstand"},
			  {SDC_PERSONAL_STATUS, "_famst_"},
			  {SDC_PERSONAL_STATUS, "_famstand_"},
			  {SDC_PERSONAL_STATUS, "_fam_stand_"},
			  {SDC_PERSONAL_STATUS, "_sit_fam_"},
			  {SDC_PERSONAL_STATUS, "civil_status"},
			  {SDC_PERSONAL_STATUS, "etat_civil"},
			  {SDC_PERSONAL_STATUS, "état_civil"},
			  {SDC_PERSONAL_STATUS, "_est_civil_"},
			  {SDC_PERSONAL_STATUS, "situation_fam"},
			  {SDC_PERSONAL_STATUS, "estado_civil"},
			  {SDC_PERSONAL_INCOME, "salary"},
			  {SDC_PERSONAL_INCOME, "income"},
			  {SDC_PERSONAL_INCOME, "_wage"},
			  {SDC_PERSONAL_INCOME, "gehalt"},
			  {SDC_PERSONAL_INCOME, "salaire"},
			  {SDC_PERSONAL_INCOME, "sueldo"},
			  {SDC_PERSONAL_INCOME, "salario"},
			  {SDC_PERSONAL_INCOME, "stipendio"},
			  {SDC_PERSONAL_INCOME, "_lohn"},
			  {SDC_PERSONAL_INCOME, "年収"},
			  {SDC_PERSONAL_RELIGION, "religio"},
			  {SDC_PERSONAL_RELIGION, "konfession"},
			  {SDC_PERSONAL_RELIGION, "_konfe_"},
			  {SDC_PERSONAL_RELIGION, "ethnic"},
			  {SDC_PERSONAL_RELIGION, "_race_"},
			  {SDC_PERSONAL_RELIGION, "宗教"},
			  {SDC_PERSONAL_HEALTH, "diagnos"},
			  {SDC_PERSONAL_HEALTH, "disease"},
			  {SDC_PERSONAL_HEALTH, "krankheit"},
			  {SDC_PERSONAL_HEALTH, "maladie"},
			  {SDC_PERSONAL_HEALTH, "enfermedad"},
			  {SDC_PERSONAL_HEALTH, "_icd"},
			  {SDC_PERSONAL_HEALTH, "_dx_"},
			  {SDC_PERSONAL_HEALTH, "alergia"},
			  {SDC_PERSONAL_HEALTH, "allerg"},
			  {SDC_PERSONAL_HEALTH, "handicap"},
			  {SDC_PERSONAL_HEALTH, "disabilit"},
			  {SDC_PERSONAL_HEALTH, "behinder"},
			  {SDC_PERSONAL_HEALTH, "blood_"},
			  {SDC_PERSONAL_HEALTH, "blutgruppe"},
			  {SDC_PERSONAL_HEALTH, "medicat"},
			  {SDC_PERSONAL_HEALTH, "medikament"},
			  {SDC_PERSONAL_HEALTH, "discapacidad"},
			  {SDC_PERSONAL_SECRET, "password"},
			  {SDC_PERSONAL_SECRET, "passwort"},
			  {SDC_PERSONAL_SECRET, "mot_de_passe"},
			  {SDC_PERSONAL_SECRET, "contrase"},
			  {SDC_PERSONAL_SECRET, "_pin_"},
			  {SDC_PERSONAL_SECRET, "_pincode_"},
			  {SDC_PERSONAL_SECRET, "secret"},
			  {SDC_PERSONAL_SECRET, "api_key"},
			  {SDC_PERSONAL_SECRET, "reset_token"},
			  {SDC_PERSONAL_SECRET, "_rp_token_"},
			  {SDC_PERSONAL_SECRET, "access_token"},
			  {SDC_PERSONAL_SECRET, "auth_token"},
			  {SDC_PERSONAL_SECRET, "session_token"},
			  {SDC_PERSONAL_SECRET, "refresh_token"},
			  {SDC_PERSONAL_SECRET, "passwd"},
			  {SDC_PERSONAL_SECRET, "_pwd_"},
			  {SDC_PERSONAL_SECRET, "passphrase"},
			  {SDC_PERSONAL_SECRET, "kennwort"},
			  {SDC_PERSONAL_SECRET, "wachtwoord"},
			  {SDC_PERSONAL_SECRET, "_senha_"},
			  {SDC_PERSONAL_SECRET, "api_token"},
			  {SDC_PERSONAL_SECRET, "push_token"},
			  {SDC_PERSONAL_SECRET, "device_token"},
			  {SDC_PERSONAL_SECRET, "csrf_token"},
			  {SDC_PERSONAL_SECRET, "bearer_token"},
			  {SDC_PERSONAL_SECRET, "_id_token_"},
			  {SDC_PERSONAL_SECRET, "private_key"},
			  {SDC_PERSONAL_SECRET, "access_key"},
			  {SDC_PERSONAL_SECRET, "session_key"},
			  {SDC_PERSONAL_SECRET, "_jwt_"},
			  {SDC_PERSONAL_SECRET, "security_answer"},
			  {SDC_PERSONAL_ID, "license_plate"},
			  {SDC_PERSONAL_ID, "licence_plate"},
			  {SDC_PERSONAL_ID, "number_plate"},
			  {SDC_PERSONAL_ID, "kfz_kennz"},
			  {SDC_PERSONAL_ID, "autokennzeichen"},
			  {SDC_PERSONAL_ID, "plaque_immat"},
			  {SDC_PERSONAL_ID, "immatriculation"},
			  {SDC_PERSONAL_ID, "_matricula_"},
			  {SDC_PERSONAL_ID, "_persnr_"},
			  {SDC_PERSONAL_ID, "_personal_nr_"},
			  {SDC_PERSONAL_ID, "personalnummer"},
			  {SDC_PERSONAL_ID, "_employee_id_"},
			  {SDC_PERSONAL_ID, "_employee_no_"},
			  {SDC_PERSONAL_ID, "_employee_number_"},
			  {SDC_PERSONAL_ID, "matricule"},
			  {SDC_PERSONAL_ID, "_patient_id_"},
			  {SDC_PERSONAL_ID, "_patient_no_"},
			  {SDC_PERSONAL_ID, "_mrn_"},
			  {SDC_PERSONAL_ID, "medical_record"},
			  {SDC_PERSONAL_ID, "_kunnr_"},
			  {SDC_PERSONAL_ID, "_kdnr_"},
			  {SDC_PERSONAL_ID, "_customer_no_"},
			  {SDC_PERSONAL_ID, "_customer_number_"},
			  {SDC_PERSONAL_ID, "kundennr"},
			  {SDC_PERSONAL_ID, "kunden_nr"},
			  {SDC_PERSONAL_ID, "codcliente"},
			  {SDC_PERSONAL_ID, "cod_cliente"},
			  {SDC_PERSONAL_ID, "id_number"},
			  {SDC_PERSONAL_ID, "idnumber"},
			  {SDC_PERSONAL_ID, "_pernr_"},
			  {SDC_PERSONAL_ID, "device_id"},
			  {SDC_PERSONAL_ID, "_imei_"},
			  {SDC_PERSONAL_ID, "_imsi_"},
			  {SDC_PERSONAL_ID, "advertising_id"},
			  {SDC_PERSONAL_ID, "_idfa_"},
			  {SDC_PERSONAL_ID, "visitor_id"},
			  {SDC_PERSONAL_ID, "cookie_id"},
			  {SDC_PERSONAL_ID, "_emp_no_"},
			  {SDC_PERSONAL_ID, "_emp_id_"},
			  {SDC_PERSONAL_ID, "_emp_number_"},
			  {SDC_PERSONAL_ID, "_badge_no_"},
			  {SDC_PERSONAL_ID, "badge_number"},
			  {SDC_PERSONAL_ID, "badge_id"},
			  {SDC_PERSONAL_ID, "_staff_no_"},
			  {SDC_PERSONAL_ID, "_staff_id_"},
			  {SDC_PERSONAL_ID, "staff_number"},
			  {SDC_PERSONAL_ID, "_member_no_"},
			  {SDC_PERSONAL_ID, "membership_no"},
			  {SDC_PERSONAL_ID, "_student_id_"},
			  {SDC_PERSONAL_ID, "_student_no_"},
			  {SDC_PERSONAL_ID, "student_number"},
			  {SDC_PERSONAL_ID, "_loyalty_no_"},
			  {SDC_PERSONAL_ID, "loyalty_number"},
			  {SDC_PERSONAL_ID, "policy_number"},
			  {SDC_PERSONAL_ID, "_policy_no_"},
			  {SDC_PERSONAL_ID, "matrikelnummer"},
			  {SDC_PERSONAL_ID, "matrikelnr"},
			  {SDC_PERSONAL_ID, "ausweisnummer"},
			  {SDC_PERSONAL_ID, "ausweisnr"},
			  {SDC_PERSONAL_ID, "mitgliedsnummer"},
			  {SDC_PERSONAL_ID, "mitgliedsnr"},
			  {SDC_PERSONAL_ID, "patientennummer"},
			  {SDC_PERSONAL_ID, "patientennr"},
			  {SDC_PERSONAL_ID, "numero_client"},
			  {SDC_PERSONAL_ID, "_num_client_"},
			  {SDC_PERSONAL_ID, "num_empleado"},
			  {SDC_PERSONAL_ID, "numero_empleado"},
			  {SDC_PERSONAL_ID, "kundennummer"},
			  /* a name alone is a person's more often than not */
			  {SDC_PERSONAL_NAME, "_name_"}};

/* Words of names of other things than persons, as "email_template". */
static const char *const things[] = {
	"_file",          "_fichier",    "_fichero",    "_archivo",
	"_datei_",        "_host_",      "_hostname",   "_server",
	"_event",         "_product",    "_produ",      "_articl",
	"_articulo",      "_artikel",    "_categor",    "_kategori",
	"_model_",        "_models_",    "_modele",     "_modelo",
	"_modell_",       "_template",   "vorlage_",    "_plantilla",
	"_table_",        "_tabelle_",   "_brand",      "_marke_",
	"_marque_",       "_marca_",     "_color",      "_colour",
	"_couleur",       "_farbe",      "_month_",     "_mois_",
	"_mes_",          "_monat_",     "_flavo",      "_saveur",
	"_sabor",         "tarif_",      "_tariff_",    "_tarifa_",
	"_rate_",         "enrate_",     "_taux_",      "_tasa_",
	"_memory",        "_memoire",    "_mémoire",    "_count_",
	"anzahl_",        "_version",    "_commercial", "zustand_",
	"_price",         "_prix_",      "_precio",     "preis_",
	"address_family", "_currenc",    "_waehrung",   "_langua",
	"_sprache",       "_department", "_abteilung_", "_permission",
	"_setting",       "_tags_",      "_tag_",       0};

/* Bytes of a name of a column that are looked at. */
#define NAME_BYTES 256

static int
is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static int
is_small(char c)
{
	return c >= 'a' && c <= 'z';
}

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Small words with _ between them and around; other scripts stay. */
static void
join_words(const char *name, char *joined)
{
	size_t count = 0;
	char before = '_';

	joined[count++] = '_';
	for (; *name != '\0' && count + 4 < NAME_BYTES; name++)
	{
		char c = *name;

		if (is_capital(c) && is_small(before))
			joined[count++] = '_';
		before = c;
		if (is_capital(c))
			c = (char) (c + 32);
		else if (!is_small(c) && (unsigned char) c < 0x80)
			c = '_';
		if (c != '_' || joined[count - 1] != '_')
			joined[count++] = c;
	}
	if (joined[count - 1] != '_')
		joined[count++] = '_';
	joined[count] = '\0';
}

/* Is a name a piece once its words are one, as "Vor-Name" is "vorname"? */
static int
is_piece(const char *joined, const char *piece)
{
	for (;;)
	{
		joined += strspn(joined, "_");
		piece += strspn(piece, "_");
		if (*joined != *piece)
			return 0;
		if (*joined == '\0')
			return 1;
		joined++;
		piece++;
	}
}

static int
has_thing(const char *joined)
{
	int i;

	for (i = 0; things[i] != 0; i++)
		if (strstr(joined, things[i]) != NULL)
			return 1;
	return 0;
}

int
sdc_personal_is_thing(const char *name)
{
	char joined[NAME_BYTES];

	join_words(name, joined);
	return has_thing(joined);
}

/* May a column be named after something else that has one of this kind? */
static int
may_be_thing(SdcPersonalKind kind)
{
	switch (kind)
	{
		case SDC_PERSONAL_EMAIL:
		case SDC_PERSONAL_POSTCODE:
		case SDC_PERSONAL_PHONE:
		case SDC_PERSONAL_ADDRESS:
		case SDC_PERSONAL_NAME:
		case SDC_PERSONAL_FIRST_NAME:
		case SDC_PERSONAL_LAST_NAME:
		case SDC_PERSONAL_CITY:
		case SDC_PERSONAL_BIRTH:
			return 1;
		default:
			return 0;
	}
}

SdcPersonalKind
sdc_personal_of_name(const char *name)
{
	char joined[NAME_BYTES];
	size_t i;

	join_words(name, joined);
	/* "_name_" is the last piece, and only that of a column called so */
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]) - 1; i++)
		if (strstr(joined, pieces[i].piece) != NULL)
			return may_be_thing(pieces[i].kind) && has_thing(joined)
					   ? SDC_PERSONAL_NONE
					   : pieces[i].kind;
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		if (is_piece(joined, pieces[i].piece))
			return pieces[i].kind;
	return SDC_PERSONAL_NONE;
}

/* ----------------------------------------------------------------------
 * Values.
 * ----------------------------------------------------------------------
 */

void
sdc_personal_lower(const char *from, char *to)
{
	for (; *from != '\0'; from++, to++)
	{
		unsigned char c = (unsigned char) *from;

		if (is_capital(*from))
			*to = (char) (c + 32);
		else if (c == 0xc3 && (unsigned char) from[1] >= 0x80 &&
				 (unsigned char) from[1] <= 0x9e &&
				 (unsigned char) from[1] != 0x97) /* the times sign */
		{
			*to++ = (char) c;
			*to = (char) ((unsigned char) *++from + 32);
		}
		else
			*to = (char) c;
	}
	*to = '\0';
}

static int
is_local(char c)
{
	return c != '\0' && strchr(" \t\r\n<>()[],;:\"'@", c) == NULL;
}

static int
is_label(char c)
{
	return is_small(c) || is_capital(c) || is_digit(c) || c == '-';
}

int
sdc_personal_address(const char *value, const char *at, const char **begin,
					 const char **end)
{
	int labels = 0;

	*begin = at;
	while (*begin > value && is_local((*begin)[-1]))
		(*begin)--;
	*end = at + 1;
	while (is_label(**end))
	{
		const char *label = *end;

		while (is_label(**end))
			(*end)++;
		labels++;
		if (**end != '.' || !is_label((*end)[1]))
			return *begin < at && labels >= 2 && *end - label >= 2 &&
				   !is_digit(*label);
		(*end)++;
	}
	return 0;
}

/* 2: is an address; 1: holds one. */
static int
find_email(const char *value)
{
	const char *at;

	for (at = strchr(value, '@'); at != NULL; at = strchr(at + 1, '@'))
	{
		const char *begin;
		const char *end;

		if (sdc_personal_address(value, at, &begin, &end))
			return begin == value && *end == '\0' ? 2 : 1;
	}
	return 0;
}

/* Does a value have a form, 9 for digits and the rest as it is? */
static int
has_form(const char *value, const char *form)
{
	for (; *form != '\0'; form++, value++)
		if (*form == '9' ? !is_digit(*value) : *value != *form)
			return 0;
	return *value == '\0';
}

/* A day, or a day and a time of it: digits as a phone has them. */
static int
is_date(const char *value)
{
	static const char *const forms[] = {"99.99.9999", "99/99/9999",
										"99-99-9999", "9999-99-99", NULL};
	int i;

	for (i = 0; forms[i] != NULL; i++)
	{
		char begin[11];
		size_t length = strlen(forms[i]);
		int first = i == 3;

		if (strlen(value) < length ||
			(value[length] != '\0' && value[length] != ' '))
			continue;
		memcpy(begin, value, length);
		begin[length] = '\0';
		/* a year of this century or the last, a month and a day */
		if (has_form(begin, forms[i]) &&
			strchr("12", begin[first ? 0 : 6]) != NULL &&
			strchr("09", begin[first ? 1 : 7]) != NULL &&
			strchr("0123", begin[first ? 8 : 0]) != NULL &&
			strchr("0123", begin[first ? 5 : 3]) != NULL)
			return 1;
	}
	return 0;
}

/*
 * A phone as it is written without + or 0: (608) 555-0123 in America,
 * 612 34 56 78 in Spain.
 */
static int
is_national_phone(const char *value)
{
	static const char *const forms[] = {
		"999-999-9999", "999.999.9999",   "999 999 9999",
		"999 99 99 99", "999 999 999",    "999-999-999",
		"999 999999",   "(999) 999-9999", NULL};
	int i;

	for (i = 0; forms[i] != NULL; i++)
		if (has_form(value, forms[i]))
			return i < 3 || *value == '(' || strchr("6789", *value) != NULL;
	return 0;
}

/* Digits, and what is written between those of a phone. */
static int
is_phone(const char *value)
{
	int digits = 0;
	int others = 0;
	int i;

	if (is_date(value) || strncmp(value, "000", 3) == 0)
		return 0;
	if (is_national_phone(value))
		return 1;
	if (*value != '+' && *value != '0' && *value != '(' && !is_digit(*value))
		return 0;
	for (i = 0; value[i] != '\0'; i++)
		if (is_digit(value[i]))
			digits++;
		else if (strchr(" ()./-", value[i]) != NULL)
			others++;
		else if (value[i] != '+' || i > 0)
			return 0;
	if (digits < 8 || digits > 15 || i > 21)
		return 0;
	if (*value == '+' || *value == '0' || *value == '(')
		/* 2024-001-002 is a number of something, (02) is none */
		return *value != '0' || others > 0 || digits >= 9;
	/* one of Spain */
	return others == 0 && digits == 9 && strchr("6789", *value) != NULL;
}

/* Does a text begin with a phone as it is written without + or 0? */
static int
begins_with_phone(const char *text)
{
	char begin[15];
	size_t length;

	for (length = 11; length <= 14; length++)
	{
		if (strlen(text) < length || is_label(text[length]))
			continue;
		memcpy(begin, text, length);
		begin[length] = '\0';
		if (is_national_phone(begin))
			return 1;
	}
	return 0;
}

/*
 * Two or more groups of digits after + or 0, or as a country writes them: a
 * phone within a text.
 */
static int
holds_phone(const char *value)
{
	const char *c;

	for (c = value; *c != '\0'; c++)
	{
		int groups = 0;
		int digits = 0;
		const char *end = c;

		if ((is_digit(*c) || *c == '(') && (c == value || !is_label(c[-1])) &&
			begins_with_phone(c))
			return 1;
		if ((*c != '+' && *c != '0') ||
			(c > value && (is_label(c[-1]) || c[-1] == '.')))
			continue;
		end += *c == '+';
		while (is_digit(*end) || strchr(" ()./-", *end) != NULL)
		{
			if (*end == '\0')
				break;
			if (is_digit(*end))
			{
				digits++;
				groups += !is_digit(end[1]);
			}
			else if (!is_digit(end[-1]) &&
					 strchr(*end == ' ' ? ") /-" : ") ", end[-1]) == NULL)
				break;
			end++;
		}
		if (groups >= 2 && digits >= 8 && digits <= 15)
			return 1;
	}
	return 0;
}

/* Without blanks, hyphens and points, in capitals; 0 when it is longer. */
static int
compact(const char *value, char *number)
{
	int count = 0;

	for (; *value != '\0'; value++)
	{
		if (strchr(" -.", *value) != NULL)
			continue;
		if (count == SDC_CHECK_MAX)
			return 0;
		number[count++] = is_small(*value) ? (char) (*value - 32) : *value;
	}
	number[count] = '\0';
	return count;
}

static int
is_card(const char *number)
{
	return strchr("3456", *number) != NULL && strlen(number) >= 14 &&
		   sdc_check_holds(SDC_CHECK_CARD, number);
}

/* 65 170839 J 008: an area, a day of birth, a letter and three digits. */
static int
has_form_of_pension(const char *number)
{
	char digits[13];

	if (strlen(number) != 12 || !is_capital(number[8]))
		return 0;
	memcpy(digits, number, 13);
	digits[8] = '0';
	return has_form(digits, "999999999999") && number[2] <= '3' &&
		   (number[4] == '0' || (number[4] == '1' && number[5] <= '2'));
}

static int
is_national_id(const char *value, const char *number)
{
	if (has_form(value, "999-99-9999") && strncmp(value, "000", 3) != 0)
		return 1;
	/* a German number of pension has a day and a month */
	if (has_form_of_pension(number))
		return 1;
	/* a NIR has a sex and a month, whatever its key */
	if (sdc_check_has_form(SDC_CHECK_FR_NIR, number) &&
		(*number == '1' || *number == '2') &&
		(number[3] == '0' || (number[3] == '1' && number[4] <= '2')))
		return 1;
	return sdc_check_holds(SDC_CHECK_ES_DNI, number) ||
		   (*number != '0' && sdc_check_holds(SDC_CHECK_DE_TAX, number)) ||
		   (strlen(value) == 12 && sdc_check_holds(SDC_CHECK_JP_MY, number));
}

/* Numbers below 256, and not only small ones as those of a version. */
static int
is_no_version(const char *value)
{
	int most = 0;
	int number = 0;
	int first = 1;
	int parts = 0;

	for (;; value++)
		if (is_digit(*value))
			number = number * 10 + (*value - '0');
		else
		{
			first = parts++ == 0 ? number : first;
			most = number > most ? number : most;
			number = 0;
			if (*value != '.')
				return most < 256 && (first >= 10 || most >= 100);
		}
}

static int
is_ip(const char *value)
{
	int points = 0;
	int colons = 0;
	int digits = 0;
	int i;

	for (i = 0; value[i] != '\0' && value[i] != '/'; i++)
	{
		points += value[i] == '.';
		colons += value[i] == ':';
		digits += is_digit(value[i]);
		if (!is_digit(value[i]) && strchr("abcdefABCDEF.:", value[i]) == NULL)
			return 0;
	}
	if (colons == 0)
		return points == 3 && i >= 7 && i <= 15 && digits == i - 3 &&
			   is_no_version(value);
	return colons >= 2 && colons <= 7 && points == 0 &&
		   (colons >= 4 || strstr(value, "::") != NULL);
}

static int
is_mac(const char *value)
{
	int i;

	for (i = 0; i < 17; i++)
		if (i % 3 == 2 ? value[i] != ':' && value[i] != '-'
					   : !is_digit(value[i]) &&
							 (value[i] == '\0' ||
							  strchr("abcdefABCDEF", value[i]) == NULL))
			return 0;
	return value[17] == '\0';
}

int
sdc_personal_is_street(const char *lower)
{
	static const char *const words[] = {
		"straße",  "strasse",  "str.",   "weg ",   "allee",     "gasse",
		"platz",   "am markt", "rue ",   "avenue", "boulevard", "chemin",
		"impasse", "quai ",    "calle ", "plaza ", "paseo ",    "avenida ",
		"street",  " st ",     " road",  " rd",    " ave ",     " lane",
		" drive",  "suite ",   " apt",   "po box", "丁目",      "番地",
		"via ",    "straat",   " way",   " court", "place ",    0};
	int i;

	for (i = 0; lower[i] != '\0' && !is_digit(lower[i]); i++)
		;
	if (lower[i] == '\0')
		return 0;
	for (i = 0; words[i] != 0; i++)
		if (strstr(lower, words[i]) != NULL)
			return 1;
	return 0;
}

/* Words of a name that are looked at. */
#define NAME_WORDS 5

/* Does a word begin with a capital, or is it an initial? */
static int
looks_like_name(const char *word)
{
	unsigned char c = (unsigned char) *word;

	return is_capital(*word) ||
		   (c == 0xc3 && (unsigned char) word[1] >= 0x80 &&
			(unsigned char) word[1] <= 0x9e) ||
		   c == 0xc4 || c == 0xc5;
}

/* Parts a text at blanks and commas; 0: it has other signs, or many words. */
static int
part_words(char *text, char **word)
{
	int count = 0;
	char *c;

	for (c = text; *c != '\0'; c++)
	{
		if (strchr("!?:;/\\@_()[]{}#%&*+=<>|\"", *c) != NULL)
			return 0;
		if (*c == ' ' || *c == ',')
			*c = '\0';
		else if (c == text || c[-1] == '\0')
		{
			if (count == NAME_WORDS)
				return 0;
			word[count++] = c;
		}
	}
	return count;
}

/*
 * First and last name, in any order: a word of the list of first names at an
 * end or behind a comma, and another of a list, or with a capital.
 */
static int
is_whole_name(SdcPersonalCounts *counts, const char *value, const char *small)
{
	char shown[SDC_PERSONAL_BYTES + 1];
	char lower[SDC_PERSONAL_BYTES + 1];
	char *word[NAME_WORDS];
	char *folded[NAME_WORDS];
	int count;
	int first = 0;
	int others = 0;
	int i;

	strcpy(shown, value);
	strcpy(lower, small);
	count = part_words(shown, word);
	if (count < 2 || part_words(lower, folded) != count)
		return 0;
	for (i = 0; i < count; i++)
	{
		int in = counts->look_up(counts->context, folded[i]);

		if (first == 0 && (in & SDC_IN_FIRST_NAMES))
			first = 1;
		else
			others += (in & 3) != 0 || looks_like_name(word[i]);
	}
	return first && others == count - 1;
}

/* Lists of a word, and of the first of several. */
static void
count_names(SdcPersonalCounts *counts, const char *value, char *lower)
{
	int in_all = counts->look_up(counts->context, lower);
	int first = in_all;

	counts->hits[SDC_PERSONAL_NAME] += is_whole_name(counts, value, lower);
	if (strchr(lower, ' ') != NULL)
	{
		*strchr(lower, ' ') = '\0';
		first = counts->look_up(counts->context, lower);
	}
	counts->hits[SDC_PERSONAL_FIRST_NAME] +=
		(in_all & SDC_IN_FIRST_NAMES) != 0;
	counts->hits[SDC_PERSONAL_CITY] += (in_all & SDC_IN_CITIES) != 0;
	counts->hits[SDC_PERSONAL_LAST_NAME] += (first & SDC_IN_LAST_NAMES) != 0;
}

/* Counts what a value is as a whole, by its characters. */
static void
count_patterns(const char *value, int is_text, int64_t *hits)
{
	char number[SDC_CHECK_MAX + 1] = "";

	hits[SDC_PERSONAL_EMAIL] += find_email(value) == 2;
	if (compact(value, number) > 0)
	{
		hits[SDC_PERSONAL_IBAN] += sdc_check_holds(SDC_CHECK_IBAN, number);
		hits[SDC_PERSONAL_CARD] += is_card(number);
		hits[SDC_PERSONAL_NATIONAL_ID] +=
			is_text && is_national_id(value, number);
	}
	hits[SDC_PERSONAL_MAC] += is_mac(value);
	hits[SDC_PERSONAL_IP] += is_ip(value);
	hits[SDC_PERSONAL_PHONE] += is_text && is_phone(value);
}

SdcPersonalKind
sdc_personal_of_value(const char *value)
{
	static const SdcPersonalKind kinds[] = {
		SDC_PERSONAL_EMAIL,       SDC_PERSONAL_IBAN,  SDC_PERSONAL_CARD,
		SDC_PERSONAL_NATIONAL_ID, SDC_PERSONAL_PHONE, SDC_PERSONAL_MAC,
		SDC_PERSONAL_IP};
	int64_t hits[SDC_PERSONAL_KINDS] = {0};
	size_t i;

	count_patterns(value, 1, hits);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (hits[kinds[i]] > 0)
			return kinds[i];
	return SDC_PERSONAL_NONE;
}

static int
is_word_of(const char *lower, const char *const *words)
{
	for (; *words != 0; words++)
		if (strcmp(lower, *words) == 0)
			return 1;
	return 0;
}

/* What says whether a person is a man or a woman, in small letters. */
static int
is_sex(const char *lower)
{
	static const char *const words[] = {
		"m",      "f",      "w",     "male",     "female",   "man", "woman",
		"mr",     "mr.",    "mrs",   "mrs.",     "ms",       "ms.", "herr",
		"frau",   "divers", "mann",  "männlich", "weiblich", "m.",  "mme",
		"mlle",   "homme",  "femme", "sr",       "sr.",      "sra", "sra.",
		"hombre", "mujer",  "男",    "女",       0};

	return is_word_of(lower, words);
}

/* Words for whether a person is married, in small letters. */
static int
is_status(const char *lower)
{
	static const char *const words[] = {
		"single",      "married",     "divorced",  "widowed",
		"ledig",       "verheiratet", "verwitwet", "geschieden",
		"célibataire", "marié",       "mariée",    "divorcé",
		"divorcée",    "veuf",        "veuve",     "soltero",
		"soltera",     "casado",      "casada",    "divorciado",
		"divorciada",  "viudo",       "viuda",     0};

	return is_word_of(lower, words);
}

/* A code of ICD-10 with a point: E11.9. */
static int
is_diagnosis(const char *value)
{
	size_t rest = strlen(value);

	return rest >= 5 && rest <= 7 && is_capital(value[0]) &&
		   is_digit(value[1]) && is_digit(value[2]) && value[3] == '.' &&
		   strspn(value + 4, "0123456789") >= rest - 5 && is_digit(value[4]);
}

/* 19620314, as old business software writes a day. */
static int
is_plain_date(const char *value)
{
	return has_form(value, "99999999") &&
		   (strncmp(value, "19", 2) == 0 || strncmp(value, "20", 2) == 0) &&
		   strchr("01", value[4]) != NULL && strchr("0123", value[6]) != NULL;
}

int
sdc_personal_year(const char *value)
{
	int first;

	if (!is_date(value) && !is_plain_date(value))
		return 0;
	first = value[4] == '-' || is_plain_date(value) ? 0 : 6;
	return (value[first] - '0') * 1000 + (value[first + 1] - '0') * 100 +
		   (value[first + 2] - '0') * 10 + (value[first + 3] - '0');
}

void
sdc_personal_count(SdcPersonalCounts *counts, const char *value)
{
	char cut[SDC_PERSONAL_BYTES + 1];
	char lower[SDC_PERSONAL_BYTES + 1];
	size_t length = strlen(value);
	int email;
	int i;

	if (length > SDC_PERSONAL_BYTES)
		length = SDC_PERSONAL_BYTES;
	memcpy(cut, value, length);
	cut[length] = '\0';
	sdc_personal_lower(cut, lower);
	counts->values++;
	email = find_email(cut);
	count_patterns(cut, counts->is_text, counts->hits);
	counts->hits[SDC_PERSONAL_POSTCODE] += has_form(cut, "999-9999");
	counts->hits[SDC_PERSONAL_ADDRESS] += sdc_personal_is_street(lower);
	counts->hits[SDC_PERSONAL_TEXT] +=
		counts->is_text && (email > 0 || (!is_date(cut) && holds_phone(cut)));
	counts->hits[SDC_PERSONAL_SEX] += counts->is_text && is_sex(lower);
	counts->hits[SDC_PERSONAL_STATUS] += counts->is_text && is_status(lower);
	counts->hits[SDC_PERSONAL_HEALTH] += counts->is_text && is_diagnosis(cut);
	counts->with_at += strchr(cut, '@') != NULL;
	for (i = 0; cut[i] != '\0' && !is_digit(cut[i]); i++)
		;
	counts->with_digits += cut[i] != '\0';
	if (cut[i] == '\0' && i > 0 && i < 100)
		count_names(counts, cut, lower);
}

int
sdc_personal_may_be(SdcPersonalKind kind, const SdcPersonalCounts *counts)
{
	switch (kind)
	{
		case SDC_PERSONAL_EMAIL:
			return counts->with_at > 0;
		case SDC_PERSONAL_IBAN:
		case SDC_PERSONAL_CARD:
		case SDC_PERSONAL_NATIONAL_ID:
		case SDC_PERSONAL_PHONE:
		case SDC_PERSONAL_BIRTH:
			return counts->with_digits > 0;
		default:
			return 1;
	}
}

SdcPersonalKind
sdc_personal_of_values(const SdcPersonalCounts *counts, int64_t different,
					   double *share)
{
	/* in the order of how sure they are; names need several */
	static const struct
	{
		SdcPersonalKind kind;
		double share;
		int different;
	} bounds[] = {
		{SDC_PERSONAL_EMAIL, 0.3, 1},      {SDC_PERSONAL_IBAN, 0.3, 1},
		{SDC_PERSONAL_CARD, 0.5, 1},       {SDC_PERSONAL_MAC, 0.5, 1},
		{SDC_PERSONAL_IP, 0.5, 1},         {SDC_PERSONAL_NATIONAL_ID, 0.5, 2},
		{SDC_PERSONAL_POSTCODE, 0.8, 2},   {SDC_PERSONAL_PHONE, 0.5, 2},
		{SDC_PERSONAL_ADDRESS, 0.3, 2},    {SDC_PERSONAL_NAME, 0.4, 2},
		{SDC_PERSONAL_FIRST_NAME, 0.4, 6}, {SDC_PERSONAL_LAST_NAME, 0.25, 6},
		{SDC_PERSONAL_CITY, 0.4, 5},       {SDC_PERSONAL_SEX, 0.9, 2},
		{SDC_PERSONAL_STATUS, 0.9, 2},     {SDC_PERSONAL_HEALTH, 0.3, 3},
		{SDC_PERSONAL_TEXT, 0.005, 1}};
	size_t i;

	*share = 0;
	for (i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		if (counts->values > 0 && different >= bounds[i].different &&
			counts->hits[bounds[i].kind] >=
				bounds[i].share * (double) counts->values &&
			counts->hits[bounds[i].kind] > 0)
		{
			*share = (double) counts->hits[bounds[i].kind] /
					 (double) counts->values;
			return bounds[i].kind;
		}
	return SDC_PERSONAL_NONE;
}
