using System.Formats.Asn1;
using System.Text;

namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>Reads the messages of clients (RFC 4511, section 4). What it gives keeps nothing of the buffer.</summary>
internal static class LdapRequestReader
{
    private static readonly Asn1Tag _controls = LdapTags.Constructed(0);

    /// <summary>Reads a message.</summary>
    /// <param name="message">A whole one and nothing else.</param>
    /// <param name="maxFilterDepth">The maximum nesting depth of filters.</param>
    /// <exception cref="AsnContentException">It is no message that a client may send.</exception>
    public static LdapMessage Read(ReadOnlyMemory<byte> message, int maxFilterDepth)
    {
        var outer = new AsnReader(message, AsnEncodingRules.BER);
        var envelope = outer.ReadSequence();
        outer.ThrowIfNotEmpty();
        var id = ReadNumber(envelope);
        var request = ReadRequest(envelope, maxFilterDepth);
        if (id == 0)
        {
            throw new AsnContentException("message id 0");
        }

        List<LdapControl> controls = [];
        if (envelope.HasData && envelope.PeekTag() == _controls)
        {
            var list = envelope.ReadSequence(_controls);
            while (list.HasData)
            {
                controls.Add(ReadControl(list.ReadSequence()));
            }
        }

        // What else is in the envelope belongs to later versions of the protocol and is to be passed over.
        return new LdapMessage(id, request, controls);
    }

    /// <summary>The value of the control for paged results (RFC 2696).</summary>
    public static bool TryReadPagedResults(byte[] value, out int size, out byte[] cookie)
    {
        try
        {
            var sequence = new AsnReader(value, AsnEncodingRules.BER).ReadSequence();
            (size, cookie) = (ReadNumber(sequence), sequence.ReadOctetString());
            return true;
        }
        catch (AsnContentException)
        {
            (size, cookie) = (0, []);
            return false;
        }
    }

    private static LdapRequest ReadRequest(AsnReader reader, int maxFilterDepth)
    {
        var tag = reader.PeekTag();
        if (tag.TagClass != TagClass.Application)
        {
            throw new AsnContentException("unknown request");
        }

        return tag.TagValue switch
        {
            LdapTags.BindRequest => ReadBind(reader.ReadSequence(tag)),
            LdapTags.UnbindRequest => ReadUnbind(reader, tag),
            LdapTags.SearchRequest => ReadSearch(reader.ReadSequence(tag), maxFilterDepth),
            LdapTags.ModifyRequest => ReadModify(reader.ReadSequence(tag)),
            LdapTags.AddRequest => ReadAdd(reader.ReadSequence(tag)),
            LdapTags.DeleteRequest => new LdapRequest.Delete(Text(reader.ReadOctetString(tag))),
            LdapTags.ModifyDnRequest => ReadModifyDn(reader.ReadSequence(tag)),
            LdapTags.CompareRequest => ReadCompare(reader.ReadSequence(tag)),
            LdapTags.AbandonRequest => ReadAbandon(reader, tag),
            LdapTags.ExtendedRequest => ReadExtended(reader.ReadSequence(tag)),
            _ => throw new AsnContentException("unknown request"),
        };
    }

    private static LdapRequest.Bind ReadBind(AsnReader reader)
    {
        var version = ReadNumber(reader);
        var name = ReadText(reader);
        var isSimple = reader.PeekTag().HasSameClassAndValue(LdapTags.Context(0));
        var password = isSimple ? reader.ReadOctetString(LdapTags.Context(0)) : null;
        if (!isSimple)
        {
            reader.ReadEncodedValue();
        }

        return new LdapRequest.Bind(version, name, password);
    }

    private static LdapRequest.Unbind ReadUnbind(AsnReader reader, Asn1Tag tag)
    {
        reader.ReadNull(tag);
        return new LdapRequest.Unbind();
    }

    private static LdapRequest.Search ReadSearch(AsnReader reader, int maxFilterDepth)
    {
        var name = ReadText(reader);
        var scope = (LdapScope)ReadChoice(reader, (int)LdapScope.Subtree);
        const int AliasesAlways = 3;
        ReadChoice(reader, AliasesAlways);
        var sizeLimit = ReadNumber(reader);
        ReadNumber(reader); // The time limit: every search here is shorter.
        var typesOnly = reader.ReadBoolean();
        var filter = LdapFilterReader.Read(reader, maxFilterDepth);
        var attributes = new List<string>();
        var list = reader.ReadSequence();
        while (list.HasData)
        {
            attributes.Add(ReadText(list));
        }

        return new LdapRequest.Search(name, scope, sizeLimit, typesOnly, filter, attributes);
    }

    private static LdapRequest.Modify ReadModify(AsnReader reader)
    {
        var name = ReadText(reader);
        var changes = new List<(LdapChange, LdapAttribute)>();
        var list = reader.ReadSequence();
        while (list.HasData)
        {
            var change = list.ReadSequence();
            changes.Add(((LdapChange)ReadChoice(change, (int)LdapChange.Replace), ReadAttribute(change.ReadSequence())));
        }

        return new LdapRequest.Modify(name, changes);
    }

    private static LdapRequest.Add ReadAdd(AsnReader reader)
    {
        var name = ReadText(reader);
        var attributes = new List<LdapAttribute>();
        var list = reader.ReadSequence();
        while (list.HasData)
        {
            attributes.Add(ReadAttribute(list.ReadSequence()));
        }

        return new LdapRequest.Add(name, attributes);
    }

    private static LdapRequest.ModifyDn ReadModifyDn(AsnReader reader)
    {
        var (name, newRdn, deleteOldRdn) = (ReadText(reader), ReadText(reader), reader.ReadBoolean());
        var newSuperior = reader.HasData ? Text(reader.ReadOctetString(LdapTags.Context(0))) : null;
        return new LdapRequest.ModifyDn(name, newRdn, deleteOldRdn, newSuperior);
    }

    private static LdapRequest.Compare ReadCompare(AsnReader reader)
    {
        var name = ReadText(reader);
        var assertion = reader.ReadSequence();
        return new LdapRequest.Compare(name, ReadText(assertion), assertion.ReadOctetString());
    }

    private static LdapRequest.Abandon ReadAbandon(AsnReader reader, Asn1Tag tag) =>
        reader.TryReadInt32(out var id, tag) ? new LdapRequest.Abandon(id) : throw new AsnContentException("number out of range");

    // A value after the name means nothing to the operations that are known here.
    private static LdapRequest.Extended ReadExtended(AsnReader reader) => new(Text(reader.ReadOctetString(LdapTags.Context(0))));

    private static LdapAttribute ReadAttribute(AsnReader reader)
    {
        var name = ReadText(reader);
        var values = new List<byte[]>();
        var set = reader.ReadSetOf(skipSortOrderValidation: true);
        while (set.HasData)
        {
            values.Add(set.ReadOctetString());
        }

        return new LdapAttribute(name, values);
    }

    private static LdapControl ReadControl(AsnReader reader)
    {
        var oid = ReadText(reader);
        var isCritical = reader.HasData && reader.PeekTag() == Asn1Tag.Boolean && reader.ReadBoolean();
        var value = reader.HasData ? reader.ReadOctetString() : [];
        return new LdapControl(oid, isCritical, value);
    }

    // 0 to 2,147,483,647, as every number of the protocol.
    private static int ReadNumber(AsnReader reader) => reader.TryReadInt32(out var number) && number >= 0
        ? number
        : throw new AsnContentException("number out of range");

    private static int ReadChoice(AsnReader reader, int last)
    {
        var bytes = reader.ReadEnumeratedBytes().Span;
        return bytes.Length == 1 && bytes[0] <= last ? bytes[0] : throw new AsnContentException("unknown choice");
    }

    private static string ReadText(AsnReader reader) => Text(reader.ReadOctetString());

    private static string Text(byte[] bytes) => Encoding.UTF8.GetString(bytes);
}
