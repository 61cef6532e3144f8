using System.Formats.Asn1;
using System.Text;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

/// <summary>Requests as bytes (RFC 4511), written apart from the server's own codec.</summary>
internal static class RawRequest
{
    private static readonly Asn1Tag _context = new(TagClass.ContextSpecific, 0);

    public static byte[] Bind(int id, string dn, string password, int version = 3) => Message(id, 0, writer =>
    {
        writer.WriteInteger(version);
        Text(writer, dn);
        writer.WriteOctetString(Encoding.UTF8.GetBytes(password), _context);
    });

    public static byte[] Search(int id,
        string baseDn = Country.Base, int scope = 2, Action<AsnWriter>? filter = null, byte[]? pagedResults = null) => Message(
        id,
        3,
        writer =>
        {
            Text(writer, baseDn);
            Choice(writer, scope);
            Choice(writer, 0);
            writer.WriteInteger(0);
            writer.WriteInteger(0);
            writer.WriteBoolean(false);
            (filter ?? Present("objectClass"))(writer);
            writer.PushSequence().Dispose();
        },
        pagedResults);

    public static byte[] Abandon(int id, int abandoned)
    {
        var writer = new AsnWriter(AsnEncodingRules.BER);
        using (writer.PushSequence())
        {
            writer.WriteInteger(id);
            writer.WriteInteger(abandoned, new Asn1Tag(TagClass.Application, 16));
        }

        return writer.Encode();
    }

    public static byte[] Unbind(int id)
    {
        var writer = new AsnWriter(AsnEncodingRules.BER);
        using (writer.PushSequence())
        {
            writer.WriteInteger(id);
            writer.WriteNull(new Asn1Tag(TagClass.Application, 2));
        }

        return writer.Encode();
    }

    public static byte[] WhoAmI(int id) => Message(
        id, 23, writer => writer.WriteOctetString(Encoding.ASCII.GetBytes("1.3.6.1.4.1.4203.1.11.3"), _context));

    public static byte[] Add(int id, string dn, params (string Name, string Value)[] attributes) => Message(id, 8, writer =>
    {
        Text(writer, dn);
        using (writer.PushSequence())
        {
            foreach (var (name, value) in attributes)
            {
                using (writer.PushSequence())
                {
                    Text(writer, name);
                    using (writer.PushSetOf())
                    {
                        Text(writer, value);
                    }
                }
            }
        }
    });

    public static byte[] Modify(int id, string dn, int change, string name, string value) => Message(id, 6, writer =>
    {
        Text(writer, dn);
        using (writer.PushSequence())
        using (writer.PushSequence())
        {
            Choice(writer, change);
            using (writer.PushSequence())
            {
                Text(writer, name);
                using (writer.PushSetOf())
                {
                    Text(writer, value);
                }
            }
        }
    });

    /// <summary>A request with any tag of the application and any content.</summary>
    public static byte[] Message(int id, int tag, Action<AsnWriter> content, byte[]? pagedResults = null)
    {
        var writer = new AsnWriter(AsnEncodingRules.BER);
        using (writer.PushSequence())
        {
            writer.WriteInteger(id);
            using (writer.PushSequence(new Asn1Tag(TagClass.Application, tag, isConstructed: true)))
            {
                content(writer);
            }

            if (pagedResults is not null)
            {
                using (writer.PushSequence(new Asn1Tag(TagClass.ContextSpecific, 0, isConstructed: true)))
                using (writer.PushSequence())
                {
                    Text(writer, "1.2.840.113556.1.4.319");
                    writer.WriteBoolean(true);
                    writer.WriteOctetString(pagedResults);
                }
            }
        }

        return writer.Encode();
    }

    public static Action<AsnWriter> Present(string attribute) =>
        writer => writer.WriteOctetString(Encoding.UTF8.GetBytes(attribute), new Asn1Tag(TagClass.ContextSpecific, 7));

    /// <summary>and (0), or (1), not (2) of others.</summary>
    public static Action<AsnWriter> Combine(int tag, params Action<AsnWriter>[] parts) => writer =>
    {
        using (writer.PushSequence(new Asn1Tag(TagClass.ContextSpecific, tag, isConstructed: true)))
        {
            foreach (var part in parts)
            {
                part(writer);
            }
        }
    };

    /// <summary>equality (3), greater or equal (5), less or equal (6), approximately (8).</summary>
    public static Action<AsnWriter> Assert(int tag, string attribute, string value) => writer =>
    {
        using (writer.PushSequence(new Asn1Tag(TagClass.ContextSpecific, tag, isConstructed: true)))
        {
            Text(writer, attribute);
            Text(writer, value);
        }
    };

    private static void Text(AsnWriter writer, string text) => writer.WriteOctetString(Encoding.UTF8.GetBytes(text));

    private static void Choice(AsnWriter writer, int choice) =>
        writer.WriteEncodedValue([0x0A, 1, (byte)choice]);
}
