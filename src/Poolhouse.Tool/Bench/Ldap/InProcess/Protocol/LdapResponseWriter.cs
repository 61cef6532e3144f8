using System.Formats.Asn1;
using System.Text;

namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>Writes messages of the server (RFC 4511, section 4).</summary>
internal static class LdapResponseWriter
{
    private const string NoticeOfDisconnection = "1.3.6.1.4.1.1466.20036";
    private static readonly Asn1Tag _responseName = LdapTags.Context(10);
    private static readonly Asn1Tag _responseValue = LdapTags.Context(11);

    /// <summary>The end of any operation but an extended one.</summary>
    /// <param name="id">Of the request.</param>
    /// <param name="kind">The operation.</param>
    /// <param name="result">How it ended.</param>
    /// <param name="page">The control for paged results: an estimate and the cookie of the next page.</param>
    public static byte[] Done(int id, LdapTestOperationKind kind, LdapResult result, byte[]? page = null)
    {
        var writer = new AsnWriter(AsnEncodingRules.BER);
        using (writer.PushSequence())
        {
            writer.WriteInteger(id);
            using (writer.PushSequence(LdapTags.Application(ResponseTo(kind))))
            {
                WriteResult(writer, result);
            }

            if (page is not null)
            {
                WritePagedResults(writer, page);
            }
        }

        return writer.Encode();
    }

    /// <summary>An entry that was found.</summary>
    public static byte[] Entry(int id, string dn, IEnumerable<LdapAttribute> attributes)
    {
        var writer = new AsnWriter(AsnEncodingRules.BER);
        using (writer.PushSequence())
        {
            writer.WriteInteger(id);
            using (writer.PushSequence(LdapTags.Application(LdapTags.SearchResultEntry)))
            {
                WriteText(writer, dn);
                using (writer.PushSequence())
                {
                    foreach (var attribute in attributes)
                    {
                        WriteAttribute(writer, attribute);
                    }
                }
            }
        }

        return writer.Encode();
    }

    /// <summary>The end of an extended operation.</summary>
    public static byte[] Extended(int id, LdapResult result, string? oid = null, string? value = null)
    {
        var writer = new AsnWriter(AsnEncodingRules.BER);
        using (writer.PushSequence())
        {
            writer.WriteInteger(id);
            using (writer.PushSequence(LdapTags.Application(LdapTags.ExtendedResponse)))
            {
                WriteResult(writer, result);
                if (oid is not null)
                {
                    writer.WriteOctetString(Encoding.UTF8.GetBytes(oid), _responseName);
                }

                if (value is not null)
                {
                    writer.WriteOctetString(Encoding.UTF8.GetBytes(value), _responseValue);
                }
            }
        }

        return writer.Encode();
    }

    /// <summary>The notice that the server is about to end the connection (RFC 4511, section 4.4.1).</summary>
    public static byte[] Notice(LdapResult reason) => Extended(0, reason, NoticeOfDisconnection);

    private static int ResponseTo(LdapTestOperationKind kind) => kind switch
    {
        LdapTestOperationKind.Bind => LdapTags.BindRequest + 1,
        LdapTestOperationKind.Search => LdapTags.SearchResultEntry + 1,
        LdapTestOperationKind.Modify => LdapTags.ModifyRequest + 1,
        LdapTestOperationKind.Add => LdapTags.AddRequest + 1,
        LdapTestOperationKind.Delete => LdapTags.DeleteRequest + 1,
        LdapTestOperationKind.ModifyDn => LdapTags.ModifyDnRequest + 1,
        LdapTestOperationKind.Compare => LdapTags.CompareRequest + 1,
        _ => LdapTags.ExtendedResponse,
    };

    private static void WriteResult(AsnWriter writer, LdapResult result)
    {
        writer.WriteEnumeratedValue(result.Code);
        WriteText(writer, result.MatchedDn ?? "");
        WriteText(writer, result.Text ?? "");
    }

    private static void WriteAttribute(AsnWriter writer, LdapAttribute attribute)
    {
        using (writer.PushSequence())
        {
            WriteText(writer, attribute.Name);
            using (writer.PushSetOf())
            {
                foreach (var value in attribute.Values)
                {
                    writer.WriteOctetString(value);
                }
            }
        }
    }

    private static void WritePagedResults(AsnWriter writer, byte[] cookie)
    {
        var value = new AsnWriter(AsnEncodingRules.BER);
        using (value.PushSequence())
        {
            value.WriteInteger(0); // No estimate.
            value.WriteOctetString(cookie);
        }

        using (writer.PushSequence(LdapTags.Constructed(0)))
        using (writer.PushSequence())
        {
            WriteText(writer, LdapControl.PagedResults);
            writer.WriteOctetString(value.Encode());
        }
    }

    private static void WriteText(AsnWriter writer, string text) => writer.WriteOctetString(Encoding.UTF8.GetBytes(text));
}
