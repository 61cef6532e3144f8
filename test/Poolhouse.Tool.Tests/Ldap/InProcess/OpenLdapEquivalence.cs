using Poolhouse.Tool.Bench.Ldap.InProcess;
using Poolhouse.Tool.Servers;
using Poolhouse.Tool.Tests.Servers;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

/// <summary>
/// What clients get from the test server and from OpenLDAP's, on the same entries: results and entries, not the words of
/// diagnostics.
/// </summary>
public sealed class OpenLdapEquivalence(SlapdServer slapd)
{
    private const string AsAnn = "-D " + Country.Ann + " -w for§ann ";
    private const string AsService = "-D " + Country.Service + " -w for§the§service ";
    private const string People = "-b ou=people,dc=example,dc=org ";

    [Theory]
    [InlineData("ldapwhoami")]
    [InlineData("ldapwhoami " + AsAnn)]
    [InlineData("ldapwhoami -D UID=Ann,§OU=People,dc=example,dc=org -w for§ann")]
    [InlineData("ldapwhoami -D " + Country.Ann + " -w wrong")]
    [InlineData("ldapwhoami -D uid=nobody,dc=example,dc=org -w wrong")]
    [InlineData("ldapwhoami -D nobody -w wrong")]
    [InlineData("ldapwhoami -D " + Country.Ann)]
    [InlineData("ldapwhoami -w password")]
    [InlineData("ldapwhoami -P 2")]
    [InlineData("ldapexop 1.2.3.4")]
    [InlineData("ldapsearch -b dc=example,dc=org")]
    [InlineData("ldapsearch -b dc=example,dc=org -s one")]
    [InlineData("ldapsearch -b dc=example,dc=org -s base")]
    [InlineData("ldapsearch -b ou=nothing,dc=example,dc=org")]
    [InlineData("ldapsearch -b uid=x,uid=ann,ou=people,dc=example,dc=org")]
    [InlineData("ldapsearch -b dc=example,dc=com")]
    [InlineData("ldapsearch -b nothing")]
    [InlineData("ldapsearch -b  -s base (objectClass=*) 1.1")]
    [InlineData("ldapsearch -b  -s base (objectClass=*) supportedLDAPVersion namingContexts")]
    [InlineData("ldapsearch -b  -s base (cn=x)")]
    [InlineData("ldapsearch -b  -s one")]
    [InlineData("ldapsearch " + People + "(uid=ANN)")]
    [InlineData("ldapsearch " + People + "(userid=ann) commonName surname")]
    [InlineData("ldapsearch " + People + "(cn=bob§§§carver)")]
    [InlineData("ldapsearch " + People + "(cn=*)")]
    [InlineData("ldapsearch " + People + "(mail=*) 1.1")]
    [InlineData("ldapsearch " + People + "(title=*) * entryDN")]
    [InlineData("ldapsearch " + People + "(title=*) TITLE 1.1 nothing")]
    [InlineData("ldapsearch -A " + People + "(uid=ann)")]
    [InlineData("ldapsearch -z 2 " + People + "(cn=*)")]
    [InlineData("ldapsearch -z 4 " + People + "(cn=*)")]
    [InlineData("ldapsearch " + People + "(&(cn=*)(!(uid=ann)))")]
    [InlineData("ldapsearch " + People + "(!(title=*))")]
    [InlineData("ldapsearch " + People + "(|(uid=ann)(uid=bob)(cn=fox,§gil))")]
    [InlineData("ldapsearch " + People + "(&)")]
    [InlineData("ldapsearch " + People + "(|)")]
    [InlineData("ldapsearch " + People + "(cn=*ar*er)")]
    [InlineData("ldapsearch " + People + "(cn=b*b*ar*)")]
    [InlineData("ldapsearch " + People + "(cn=bob§*)")]
    [InlineData("ldapsearch " + People + "(cn=*§carver)")]
    [InlineData("ldapsearch " + People + "(title=carpenter,*first)")]
    [InlineData("ldapsearch " + People + "(description=Äpfel*)")]
    [InlineData("ldapsearch " + People + "(userPassword=*)")]
    [InlineData("ldapsearch " + People + "(!(userPassword=*))")]
    [InlineData("ldapsearch " + People + "(createTimestamp>=20000101000000Z) uid")]
    [InlineData("ldapsearch " + People + "(createTimestamp<=20000101000000Z) uid")]
    [InlineData("ldapsearch -b dc=example,dc=org (member=UID=ann,§ou=People,dc=example,dc=org) cn")]
    [InlineData("ldapsearch -b dc=example,dc=org (entryDN=UID=ann,ou=people,dc=example,dc=org) cn")]
    [InlineData("ldapsearch -b uid=dora+cn=dora§ernst,ou=people,dc=example,dc=org -s base")]
    [InlineData("ldapsearch -b cn=fox\\2c§gil,ou=people,dc=example,dc=org -s base")]
    [InlineData("ldapsearch -E pr=2/noprompt " + People + "(cn=*) cn")]
    [InlineData("ldapsearch -E pr=3/noprompt -z 4 " + People + "(cn=*) cn")]
    [InlineData("ldapsearch -e !1.2.3.4 " + People + "(cn=*) cn")]
    [InlineData("ldapsearch -e 1.2.3.4 " + People + "(uid=ann) cn")]
    [InlineData("ldapcompare " + Country.Ann + " sn:bell")]
    [InlineData("ldapcompare " + Country.Ann + " sn:ball")]
    [InlineData("ldapcompare " + Country.Ann + " title:ball")]
    [InlineData("ldapcompare uid=nobody,dc=example,dc=org sn:ball")]
    [InlineData("ldapdelete " + Country.Ann)]
    [InlineData("ldapdelete " + AsService + "uid=nobody,dc=example,dc=org")]
    [InlineData("ldapdelete " + AsService + "ou=people,dc=example,dc=org")]
    [InlineData("ldapmodrdn " + AsService + "uid=nobody,dc=example,dc=org uid=somebody")]
    [InlineData("ldapmodrdn " + AsService + Country.Ann + " nothing")]
    public async Task Searches_return_the_same_results(string command)
    {
        var port = await slapd.GetPortAsync();
        await using var server = Country.Start();

        var expected = await AskAsync(port, command);

        Assert.Equal(expected, await AskAsync(server.Port, command));
    }

    [Theory]
    [InlineData("""
        changetype: add
        objectClass: inetOrgPerson
        uid: hal
        cn: Hal
        sn: Ives
        """, "uid=hal,ou=people,dc=example,dc=org")]
    [InlineData("""
        changetype: add
        objectClass: inetOrgPerson
        cn: Hal
        sn: Ives
        """, "uid=hal,ou=people,dc=example,dc=org")]
    [InlineData("""
        changetype: add
        uid: hal
        """, "uid=hal,ou=people,dc=example,dc=org")]
    [InlineData("""
        changetype: add
        objectClass: organizationalUnit
        ou: a
        """, "ou=a,ou=nothing,dc=example,dc=org")]
    [InlineData("""
        changetype: add
        objectClass: organizationalUnit
        ou: people
        """, "ou=PEOPLE,dc=example,dc=org")]
    [InlineData("""
        changetype: add
        objectClass: organizationalUnit
        ou: a
        description: twice
        description: Twice
        """, "ou=a,dc=example,dc=org")]
    [InlineData("""
        changetype: modify
        add: mail
        mail: third@example.org
        -
        replace: sn
        sn: Bill
        -
        delete: description
        -
        delete: mail
        mail: ANN@example.org
        """, Country.Ann)]
    [InlineData("""
        changetype: modify
        add: mail
        mail: ann@EXAMPLE.org
        """, Country.Ann)]
    [InlineData("""
        changetype: modify
        add: title
        title: this one is undone
        -
        delete: mail
        mail: nobody@example.org
        """, Country.Ann)]
    [InlineData("""
        changetype: modify
        delete: title
        """, Country.Ann)]
    [InlineData("""
        changetype: modify
        replace: title
        """, Country.Ann)]
    [InlineData("""
        changetype: modify
        delete: uid
        uid: ann
        """, Country.Ann)]
    [InlineData("""
        changetype: modify
        replace: objectClass
        """, Country.Ann)]
    [InlineData("""
        changetype: modify
        replace: title
        title: x
        """, "uid=nobody,dc=example,dc=org")]
    [InlineData("changetype: delete", Country.Ann)]
    [InlineData("""
        changetype: modrdn
        newrdn: uid=anna
        deleteoldrdn: 1
        """, Country.Ann)]
    [InlineData("""
        changetype: modrdn
        newrdn: uid=anna
        deleteoldrdn: 0
        newsuperior: ou=groups,dc=example,dc=org
        """, Country.Ann)]
    [InlineData("""
        changetype: modrdn
        newrdn: uid=bob
        deleteoldrdn: 1
        """, Country.Ann)]
    [InlineData("""
        changetype: modrdn
        newrdn: uid=ANN
        deleteoldrdn: 1
        """, Country.Ann)]
    [InlineData("""
        changetype: modrdn
        newrdn: uid=ann
        deleteoldrdn: 1
        newsuperior: ou=nothing,dc=example,dc=org
        """, Country.Ann)]
    public async Task Changes_return_the_same_results(string change, string dn)
    {
        await using var real = await SlapdServer.StartOwnAsync();
        await using var server = Country.Start();

        var expected = await ChangeAsync(real.Port, dn, change);

        Assert.Equal(expected, await ChangeAsync(server.Port, dn, change));
    }

    private static async Task<string> ChangeAsync(int port, string dn, string change)
    {
        var outcome = await LdapTool.RunWithInputAsync(port, $"dn: {dn}\n{change}\n", ["ldapmodify", .. Arguments(AsService)]);
        var entries = await LdapTool.SearchAsync(port, "-b", Country.Base);
        return $"{outcome.ExitCode}\n{Sorted(entries.Output)}";
    }

    // A space separates arguments; § is a space within one.
    private static async Task<string> AskAsync(int port, string command)
    {
        var arguments = Arguments(command);
        var isSearch = arguments[0] is "ldapsearch";
        var outcome = isSearch
            ? await LdapTool.SearchAsync(port, arguments[1..])
            : await LdapTool.RunAsync(port, arguments);
        var output = outcome.ExitCode == (int)LdapTestResultCode.SizeLimitExceeded
            ? $"{outcome.Output.Split("dn: ").Length} entries" // Which ones, every server decides.
            : isSearch ? Sorted(outcome.Output) : WithoutWords(outcome.Output);
        return $"{outcome.ExitCode}\n{Matched(outcome)}\n{output}";
    }

    private static string[] Arguments(string command) =>
        [.. command.TrimEnd().Split(' ').Select(argument => argument.Replace('§', ' '))];

    private static string Matched(LdapTool.Outcome outcome) =>
        (outcome.Errors + outcome.Output).Split(
            '\n').FirstOrDefault(line => line.Contains("atched DN", StringComparison.Ordinal)) ?? "";

    private static string WithoutWords(string output) =>
        string.Join('\n', output.Split('\n').Where(line => !line.StartsWith("Additional info", StringComparison.Ordinal)));

    // Entries, their attributes and their values come in any order; lines about pages are in between. A comma in a name can be
    // written in two ways.
    private static string Sorted(string ldif) => string.Join(
        "\n\n",
        ldif.Replace("\\2C", "\\,", StringComparison.Ordinal).Split("\n\n")
            .Select(entry =>
                string.Join('\n', entry.Split('\n').Where(line => !line.StartsWith('#')).Order(StringComparer.Ordinal)).Trim())
            .Where(entry => entry.Length > 0)
            .Order(StringComparer.Ordinal));
}
