using System.Formats.Asn1;
using System.Text;

namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>Reads filters (RFC 4511, section 4.5.1).</summary>
internal static class LdapFilterReader
{
    private const int And = 0;
    private const int Or = 1;
    private const int Not = 2;
    private const int Equality = 3;
    private const int Substrings = 4;
    private const int GreaterOrEqual = 5;
    private const int LessOrEqual = 6;
    private const int Present = 7;
    private const int Approximately = 8;
    private const int Extensible = 9;

    /// <summary>Reads the next filter.</summary>
    /// <param name="reader">Positioned before it.</param>
    /// <param name="depth">The remaining nesting depth of filters.</param>
    /// <exception cref="AsnContentException">It is malformed, or too deep.</exception>
    public static LdapFilter Read(AsnReader reader, int depth)
    {
        var tag = reader.PeekTag();
        if (depth <= 0 || tag.TagClass != TagClass.ContextSpecific)
        {
            throw new AsnContentException(depth <= 0 ? "filter too deep" : "unknown filter");
        }

        return tag.TagValue switch
        {
            And => new LdapFilter.And(ReadSet(reader, tag, depth)),
            Or => new LdapFilter.Or(ReadSet(reader, tag, depth)),
            Not => ReadNot(reader, tag, depth),
            Equality or Approximately => ReadAssertion(reader, tag, static (name, value) => new LdapFilter.Equality(name, value)),
            GreaterOrEqual => ReadAssertion(reader, tag, static (name, value) => new LdapFilter.GreaterOrEqual(name, value)),
            LessOrEqual => ReadAssertion(reader, tag, static (name, value) => new LdapFilter.LessOrEqual(name, value)),
            Substrings => ReadSubstrings(reader, tag),
            Present => new LdapFilter.Present(Encoding.UTF8.GetString(reader.ReadOctetString(tag))),
            Extensible => SkipExtensible(reader, tag),
            _ => throw new AsnContentException("unknown filter"),
        };
    }

    private static List<LdapFilter> ReadSet(AsnReader reader, Asn1Tag tag, int depth)
    {
        var parts = new List<LdapFilter>();
        var set = reader.ReadSetOf(skipSortOrderValidation: true, tag);
        while (set.HasData)
        {
            parts.Add(Read(set, depth - 1));
        }

        return parts;
    }

    private static LdapFilter.Not ReadNot(AsnReader reader, Asn1Tag tag, int depth)
    {
        var inner = reader.ReadSequence(tag);
        var part = Read(inner, depth - 1);
        inner.ThrowIfNotEmpty();
        return new LdapFilter.Not(part);
    }

    private static LdapFilter ReadAssertion(AsnReader reader, Asn1Tag tag, Func<string, byte[], LdapFilter> make)
    {
        var assertion = reader.ReadSequence(tag);
        var name = Encoding.UTF8.GetString(assertion.ReadOctetString());
        var value = assertion.ReadOctetString();
        assertion.ThrowIfNotEmpty();
        return make(name, value);
    }

    private static LdapFilter.Substring ReadSubstrings(AsnReader reader, Asn1Tag tag)
    {
        const int Initial = 0;
        const int Any = 1;
        const int Final = 2;
        var assertion = reader.ReadSequence(tag);
        var name = Encoding.UTF8.GetString(assertion.ReadOctetString());
        var parts = assertion.ReadSequence();
        assertion.ThrowIfNotEmpty();
        var (initial, final, middle) = ("", "", new List<string>());
        if (!parts.HasData)
        {
            throw new AsnContentException("empty substring filter");
        }

        for (var first = true; parts.HasData; first = false)
        {
            var kind = parts.PeekTag();
            var text = LdapMatching.FoldPart(Encoding.UTF8.GetString(parts.ReadOctetString(LdapTags.Context(kind.TagValue))));
            switch (kind.TagValue)
            {
                case Initial when first:
                    initial = text.TrimStart(' ');
                    break;
                case Any:
                    middle.Add(text);
                    break;
                case Final when !parts.HasData:
                    final = text.TrimEnd(' ');
                    break;
                default:
                    throw new AsnContentException("parts of a substring filter out of order");
            }
        }

        return new LdapFilter.Substring(name, initial, middle, final);
    }

    private static LdapFilter.Unknown SkipExtensible(AsnReader reader, Asn1Tag tag)
    {
        var assertion = reader.ReadSequence(tag);
        while (assertion.HasData)
        {
            assertion.ReadEncodedValue();
        }

        return new LdapFilter.Unknown();
    }
}
