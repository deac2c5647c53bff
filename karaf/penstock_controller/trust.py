# SPDX-License-Identifier: Apache-2.0
"""What OpenDaylight's parts are told of certificates, in the form of each."""

from __future__ import annotations

import dataclasses
import hashlib
import struct

from .settings import Tls

EMPTY_STORE = "etc/no-certificates.jks"
"""A key store without entries, below the run directory: PeerTlsProvider.java has the certificates. Its name and its
password are the same in ListenerConfiguration.java."""
_STORE_PASSWORD = "nothing"  # noqa: S105  (there is nothing in the store)


HTTPS_STORE = "etc/https.p12"
"""This member's key for Jetty, made at each start, and by HttpsStore.java when its certificate is renewed."""
HTTPS_PASSWORD = "etc/https.password"  # noqa: S105  (the name of a file)
"""The password of that store, made at each start."""

WEAK = ("SSLv3, TLSv1, TLSv1.1, DTLSv1.0, RC4, DES, 3DES_EDE_CBC, MD5withRSA, DH keySize < 2048, EC keySize < 224, "
        "RSA keySize < 2048, anon, NULL, ECDH, EXPORT, "
        # A key that is lost would open what was recorded before.
        + ", ".join(f"TLS_RSA_WITH_{cipher}" for cipher in (
            "AES_256_GCM_SHA384", "AES_128_GCM_SHA256", "AES_256_CBC_SHA256", "AES_128_CBC_SHA256", "AES_256_CBC_SHA",
            "AES_128_CBC_SHA")))
"""What no connection may use (jdk.tls.disabledAlgorithms): Java's own list and a little more. OpenDaylight has one of
2015, which takes its place and permits TLS 1.0, TLS 1.1, triple DES and ciphers that do not encrypt."""


def engine(tls: Tls | None) -> str:
    """Lines of etc/io.penstock.cfg."""
    return "".join(f"tls-{name} = {path}\n" for name, path in (dataclasses.asdict(tls) if tls else {}).items())


def artery(tls: Tls | None) -> str:
    """How members of the cluster trust each other: Akka reads the files again, and takes a peer only if its certificate
    shares a name with its own. Those of members share MEMBERS of penstock_pki/names.py, those of nodes share none."""
    if tls is None:
        return ""
    return f"""\
      ssl {{
        ssl-engine-provider = akka.remote.artery.tcp.ssl.RotatingKeysSSLEngineProvider
        rotating-keys-engine {{
          key-file = "{tls.key}"
          cert-file = "{tls.certificate}"
          ca-cert-file = "{tls.ca}"
          ssl-context-cache-ttl = 10s
          protocol = "TLSv1.3"
          enabled-algorithms = ["TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"]
        }}
      }}
"""


def empty_store() -> bytes:
    """The file EMPTY_STORE, in Java's own format (JKS): magic, version, number of entries, and its checksum."""
    content = struct.pack(">III", 0xFEEDFEED, 2, 0)
    salt = _STORE_PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite"
    return content + hashlib.sha1(salt + content, usedforsecurity=False).digest()


def https(address: str, port: int, password: str, idle_seconds: int) -> str:
    """A connector of jetty.xml on an address that other machines reach. A store that is replaced is read again."""
    def value(name: str, content: str) -> str:
        return f'<Set name="{name}">{content}</Set>'
    store = (value("keyStorePath", HTTPS_STORE) + value("keyStoreType", "PKCS12") + value("keyStorePassword", password)
             # Not the default one, which PeerTlsProvider.java changes.
             + value("keyManagerFactoryAlgorithm", "SunX509"))
    return f"""
    <New id="https" class="org.eclipse.jetty.server.HttpConfiguration">
        {value("secureScheme", "https")}{value("securePort", str(port))}{value("sendServerVersion", "false")}
        <Call name="addCustomizer"><Arg><New class="org.eclipse.jetty.server.SecureRequestCustomizer"/></Arg></Call>
    </New>
    <New id="certificates" class="org.eclipse.jetty.util.ssl.SslContextFactory$Server">
        {store}
        <Set name="includeProtocols">
            <Array type="java.lang.String"><Item>TLSv1.2</Item><Item>TLSv1.3</Item></Array>
        </Set>
    </New>
    <Call name="addBean"><Arg><New class="org.eclipse.jetty.util.ssl.KeyStoreScanner">
        <Arg><Ref refid="certificates"/></Arg>{value("scanInterval", "1")}
    </New></Arg></Call>
    <Call name="addConnector"><Arg><New class="org.eclipse.jetty.server.ServerConnector">
        <Arg name="server"><Ref refid="Server"/></Arg>
        <Arg name="factories"><Array type="org.eclipse.jetty.server.ConnectionFactory">
            <Item><New class="org.eclipse.jetty.server.SslConnectionFactory">
                <Arg name="sslContextFactory"><Ref refid="certificates"/></Arg><Arg name="next">http/1.1</Arg>
            </New></Item>
            <Item><New class="org.eclipse.jetty.server.HttpConnectionFactory">
                <Arg name="config"><Ref refid="https"/></Arg>
            </New></Item>
        </Array></Arg>
        {value("host", address)}{value("port", str(port))}{value("idleTimeout", f"{idle_seconds}000")}
        {value("name", "https")}
    </New></Arg></Call>
"""
