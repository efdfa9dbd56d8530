/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/textname.h"

#include <arpa/inet.h>
#include <string.h>

#include "packet/name.h"
#include "source/scan.h"

/*
 * Names of TCP ports as services(5) files print them, old and new. The host's own file is not
 * asked: a text must mean the same wherever it is read.
 */
static const struct {
	const char *name;
	uint16_t port;
} services[] = {
	{ "echo", 7 }, { "discard", 9 }, { "systat", 11 }, { "daytime", 13 }, { "netstat", 15 },
	{ "chargen", 19 }, { "ftp-data", 20 }, { "ftp", 21 }, { "ssh", 22 }, { "telnet", 23 },
	{ "smtp", 25 }, { "time", 37 }, { "nicname", 43 }, { "whois", 43 },
	{ "tacacs", 49 }, { "domain", 53 }, { "gopher", 70 }, { "finger", 79 }, { "http", 80 },
	{ "www", 80 }, { "www-http", 80 }, { "kerberos", 88 }, { "kerberos-sec", 88 },
	{ "iso-tsap", 102 }, { "pop2", 109 }, { "pop3", 110 }, { "pop-3", 110 },
	{ "sunrpc", 111 }, { "portmapper", 111 }, { "rpcbind", 111 }, { "auth", 113 },
	{ "ident", 113 }, { "nntp", 119 }, { "ntp", 123 }, { "epmap", 135 }, { "loc-srv", 135 },
	{ "netbios-ns", 137 }, { "netbios-dgm", 138 }, { "netbios-ssn", 139 }, { "imap", 143 },
	{ "imap2", 143 }, { "snmp", 161 }, { "snmp-trap", 162 }, { "bgp", 179 }, { "irc", 194 },
	{ "imap3", 220 }, { "ldap", 389 }, { "svrloc", 427 }, { "https", 443 },
	{ "microsoft-ds", 445 }, { "kpasswd", 464 }, { "urd", 465 }, { "smtps", 465 },
	{ "ssmtp", 465 }, { "submissions", 465 }, { "exec", 512 }, { "login", 513 },
	{ "shell", 514 }, { "printer", 515 }, { "afpovertcp", 548 },
	{ "rtsp", 554 }, { "nntps", 563 }, { "submission", 587 }, { "ipp", 631 },
	{ "ldaps", 636 }, { "domain-s", 853 }, { "rsync", 873 }, { "ftps-data", 989 },
	{ "ftps", 990 }, { "telnets", 992 }, { "imaps", 993 }, { "pop3s", 995 },
	{ "socks", 1080 }, { "openvpn", 1194 }, { "ms-sql-s", 1433 }, { "ms-sql-m", 1434 },
	{ "ncube-lm", 1521 }, { "pptp", 1723 }, { "mqtt", 1883 }, { "nfs", 2049 },
	{ "nfsd", 2049 }, { "cvspserver", 2401 }, { "squid", 3128 }, { "iscsi-target", 3260 },
	{ "mysql", 3306 }, { "ms-wbt-server", 3389 }, { "distcc", 3632 }, { "svn", 3690 },
	{ "commplex-main", 5000 }, { "commplex-link", 5001 }, { "sip", 5060 },
	{ "sip-tls", 5061 }, { "targus-getdata1", 5201 }, { "xmpp-client", 5222 },
	{ "xmpp-server", 5269 }, { "postgresql", 5432 }, { "postgres", 5432 },
	{ "amqps", 5671 }, { "amqp", 5672 }, { "vnc-server", 5900 }, { "rfb", 5900 },
	{ "x11", 6000 }, { "redis", 6379 }, { "ircd", 6667 }, { "webcache", 8080 },
	{ "http-alt", 8080 }, { "https-alt", 8443 }, { "pcsync-https", 8443 },
	{ "secure-mqtt", 8883 }, { "git", 9418 }, { "ndmp", 10000 }, { "zabbix-agent", 10050 },
	{ "zabbix-trapper", 10051 }, { "netperf", 12865 },
};

static bool find_service(const char *text, size_t n, uint16_t *port)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
		if (strlen(services[i].name) == n && !memcmp(services[i].name, text, n)) {
			*port = services[i].port;
			return true;
		}
	}
	return false;
}

bool tw_text_port(const char *text, size_t n, uint16_t *port)
{
	struct tw_scan s = tw_scan_over(text, n);
	const char *bracket = n ? memchr(text, '(', n) : NULL;
	uint64_t v;

	if (bracket) {
		s.at = bracket + 1;
		if (!tw_scan_u64(&s, UINT16_MAX, &v) || !tw_scan_word(&s, ")") || s.at < s.end)
			return false;
		*port = (uint16_t)v;
		return true;
	}
	if (tw_scan_u64(&s, UINT16_MAX, &v) && s.at == s.end) {
		*port = (uint16_t)v;
		return true;
	}
	return find_service(text, n, port);
}

/* Letters, digits and what else may stand in a host or service name; any byte of UTF-8. */
static bool is_name(const char *text, size_t n)
{
	if (!n || n > 300)
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (!tw_is_digit(text[i]) && ((c | 0x20) < 'a' || (c | 0x20) > 'z') && c < 0x80 &&
		    c != '-' && c != '_' && c != '.')
			return false;
	}
	return true;
}

static bool set_ip4(const char *text, size_t n, uint16_t port, struct tw_endpoint *out)
{
	struct tw_scan s = tw_scan_over(text, n);
	uint8_t addr[4];
	uint64_t v;

	for (int i = 0; i < 4; i++) {
		if ((i && !tw_scan_word(&s, ".")) || !tw_scan_u64(&s, UINT8_MAX, &v))
			return false;
		addr[i] = (uint8_t)v;
	}
	if (s.at < s.end)
		return false;
	*out = (struct tw_endpoint){ .addr = { [10] = 0xff, [11] = 0xff }, .port = port };
	memcpy(out->addr + 12, addr, 4);
	return true;
}

static bool set_ip6(const char *text, size_t n, uint16_t port, struct tw_endpoint *out)
{
	char copy[INET6_ADDRSTRLEN];
	const char *zone = n ? memchr(text, '%', n) : NULL;
	uint8_t addr[16];

	if (zone)
		n = (size_t)(zone - text);
	if (n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	if (memchr(copy, '\0', n) || inet_pton(AF_INET6, copy, addr) != 1)
		return false;
	*out = (struct tw_endpoint){ .port = port };
	memcpy(out->addr, addr, sizeof(addr));
	return true;
}

bool tw_text_host(const char *text, size_t n, uint16_t port, struct tw_endpoint *out,
		  uint8_t *version)
{
	if (n && memchr(text, ':', n)) {
		if (!set_ip6(text, n, port, out))
			return false;
		*version = 6;
		return true;
	}
	if (set_ip4(text, n, port, out)) {
		*version = 4;
		return true;
	}
	if (!is_name(text, n))
		return false;
	*out = (struct tw_endpoint){ 0 };
	tw_endpoint_set_name(out, text, n, port);
	return true;
}

bool tw_text_endpoint(const char *text, size_t n, struct tw_endpoint *out, uint8_t *version)
{
	const char *dot = n ? memrchr(text, '.', n) : NULL;
	size_t host = dot ? (size_t)(dot - text) : 0;
	struct tw_endpoint whole;
	uint16_t port;

	if (!n)
		return false;
	/* "192.0.2.1" is an address without a port, not port 1 of "192.0.2" */
	if (set_ip4(text, n, 0, &whole)) {
		*out = whole;
		*version = 4;
		return true;
	}
	if (host && host + 1 < n && tw_text_port(dot + 1, n - host - 1, &port) &&
	    tw_text_host(text, host, port, out, version))
		return true;
	return tw_text_host(text, n, 0, out, version);
}
