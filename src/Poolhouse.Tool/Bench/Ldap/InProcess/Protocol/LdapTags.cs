using System.Formats.Asn1;

namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>The tags of RFC 4511.</summary>
internal static class LdapTags
{
    public const int BindRequest = 0;
    public const int UnbindRequest = 2;
    public const int SearchRequest = 3;
    public const int SearchResultEntry = 4;
    public const int ModifyRequest = 6;
    public const int AddRequest = 8;
    public const int DeleteRequest = 10;
    public const int ModifyDnRequest = 12;
    public const int CompareRequest = 14;
    public const int AbandonRequest = 16;
    public const int ExtendedRequest = 23;
    public const int ExtendedResponse = 24;

    public static Asn1Tag Context(int number) => new(TagClass.ContextSpecific, number);

    public static Asn1Tag Constructed(int number) => new(TagClass.ContextSpecific, number, isConstructed: true);

    public static Asn1Tag Application(int number) => new(TagClass.Application, number, isConstructed: true);

    public static Asn1Tag Primitive(int number) => new(TagClass.Application, number);
}
