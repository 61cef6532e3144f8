using System.Text;

namespace Poolhouse.Tool.Servers.Tds;

/// <summary>What a client sends to log in (LOGIN7, MS-TDS 2.2.6.4).</summary>
internal sealed record TdsLogin(string User, string Password, string Application, string Database, int PacketSize)
{
    /// <summary>The feature of replacing a broken connection by another one with the same state.</summary>
    public const byte Recovery = 1;

    /// <summary>The feature of access tokens.</summary>
    public const byte Federated = 2;

    private const byte LastOption = 0xFF;

    // How a client has its access token: in the login, or to be asked for.
    private const int TokenAtHand = 1;
    private const int TokenOnRequest = 2;

    /// <summary>The access token; null for a login with a password.</summary>
    public string? AccessToken { get; init; }

    /// <summary>Whether the client gets an access token only when it knows the server's directory.</summary>
    public bool AsksForToken { get; init; }

    public string DatabaseOrDefault => Database.Length == 0 ? "master" : Database;

    /// <summary>Whether the driver replaces a broken connection on its own and brings the session's state along.</summary>
    public bool IsRecovery { get; init; }

    public bool IsEncrypted { get; init; }

    public bool AsksForRecovery { get; init; }

    public static TdsLogin Read(byte[] message)
    {
        var features = (message[27] & 0x10) == 0 ? [] : Features(message);
        features.TryGetValue(Federated, out var token);
        var library = token?[0] >> 1;
        return new TdsLogin(
            Text(message, 40),
            Password7(message),
            Text(message, 48),
            Text(message, 68),
            BitConverter.ToInt32(message, 8))
        {
            AccessToken = library == TokenAtHand ? Encoding.Unicode.GetString(token.AsSpan(5)) : null,
            AsksForToken = library == TokenOnRequest,
            AsksForRecovery = features.ContainsKey(Recovery),
            IsRecovery = features.TryGetValue(Recovery, out var state) && state.Length > 0,
        };
    }

    /// <summary>The access token in the message that answers the server's (MS-TDS 2.2.6.3).</summary>
    public static string ReadToken(byte[] message) =>
        Encoding.Unicode.GetString(message, 8, BitConverter.ToInt32(message, 4));

    /// <summary>The options of PRELOGIN (MS-TDS 2.2.6.5): no MARS, access tokens if asked.</summary>
    public static byte[] AnswerPreLogin(byte[] request, bool encrypts)
    {
        List<(byte Option, byte[] Value)> options =
            [(0, [16, 0, 0x10, 0, 0, 0]), (1, [(byte)(encrypts ? 1 : 2)]), (2, [0]), (3, []), (4, [0])];
        const byte tokens = 6;
        for (var i = 0; request[i] != LastOption; i += 5)
        {
            if (request[i] == tokens)
            {
                options.Add((tokens, [1]));
            }
        }

        var header = new List<byte>();
        var values = new List<byte>();
        foreach (var (option, value) in options)
        {
            var offset = (5 * options.Count) + 1 + values.Count;
            header.AddRange([option, (byte)(offset >> 8), (byte)offset, 0, (byte)value.Length]);
            values.AddRange(value);
        }

        return [.. header, LastOption, .. values];
    }

    private static string Text(byte[] message, int place) =>
        Encoding.Unicode.GetString(message, BitConverter.ToUInt16(message, place), 2 * BitConverter.ToUInt16(message, place + 2));

    // Each byte is sent with its halves exchanged, and then the bits 0xA5 flipped.
    private static string Password7(byte[] message)
    {
        var hidden = message.AsSpan(BitConverter.ToUInt16(message, 44), 2 * BitConverter.ToUInt16(message, 46)).ToArray();
        for (var i = 0; i < hidden.Length; i++)
        {
            var flipped = hidden[i] ^ 0xA5;
            hidden[i] = (byte)((flipped << 4) | (flipped >> 4));
        }

        return Encoding.Unicode.GetString(hidden);
    }

    private static Dictionary<byte, byte[]> Features(byte[] message)
    {
        var features = new Dictionary<byte, byte[]>();
        var bytes = new TdsBytes(message) { Position = BitConverter.ToInt32(message, BitConverter.ToUInt16(message, 56)) };
        for (var id = bytes.Byte(); id != LastOption; id = bytes.Byte())
        {
            features[id] = bytes.Take(bytes.Int32()).ToArray();
        }

        return features;
    }
}
