using System.Globalization;
using System.Text;

namespace Poolhouse.Ldap.Tests.Servers;

/// <summary>The entries in the directories of these tests.</summary>
internal static class Entries
{
    public const string Base = "dc=example,dc=org";
    public const string Service = "cn=service," + Base;
    public const string ServicePassword = "s3rvice-Passw0rd";
    public const string Ann = "uid=ann,ou=people," + Base;
    public const string AnnPassword = "ann's-Pässwörd";
    public const string People = "ou=people," + Base;
    public const int PeopleCount = 40;

    public static string Identity => "dn:" + Service;

    public static string Person(int number) => string.Create(CultureInfo.InvariantCulture, $"uid=person{number},{People}");

    public static string Ldif { get; } = Write();

    private static string Write()
    {
        var text = new StringBuilder(
            $"""
             dn: {Base}
             objectClass: organization
             objectClass: dcObject
             dc: example
             o: Example

             dn: {Service}
             objectClass: organizationalRole
             objectClass: simpleSecurityObject
             cn: service
             userPassword: {ServicePassword}

             dn: {People}
             objectClass: organizationalUnit
             ou: people

             dn: {Ann}
             objectClass: inetOrgPerson
             uid: ann
             cn: Ann
             sn: Bell
             userPassword:: {Convert.ToBase64String(Encoding.UTF8.GetBytes(AnnPassword))}


             """);
        for (var number = 1; number < PeopleCount; number++)
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"dn: {Person(number)}\nobjectClass: inetOrgPerson\nuid: person{number}\ncn: Person {number}\nsn: {number}\n\n");
        }

        return text.ToString();
    }
}
