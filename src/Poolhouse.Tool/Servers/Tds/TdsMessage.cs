namespace Poolhouse.Tool.Servers.Tds;

/// <summary>A message of a client: the data of all of its packets.</summary>
internal sealed record TdsMessage(byte Type, byte Status, byte[] Data)
{
    public const byte Batch = 1;
    public const byte Call = 3;
    public const byte Response = 4;
    public const byte Attention = 6;
    public const byte Token = 8;
    public const byte Transaction = 14;
    public const byte Login = 16;
    public const byte PreLogin = 18;

    /// <summary>Status of a packet: the last one of its message.</summary>
    public const byte Last = 0x01;

    /// <summary>Status of a packet: its sender gave up, and the message is to be ignored.</summary>
    public const byte Ignored = 0x02;

    /// <summary>Status of a packet: the session is reset before the request.</summary>
    private const byte Reset = 0x08;

    /// <summary>As <see cref="Reset"/>, but an open transaction stays.</summary>
    private const byte ResetOutsideTransaction = 0x10;

    public bool Resets => (Status & (Reset | ResetOutsideTransaction)) != 0;

    public bool KeepsTransaction => (Status & ResetOutsideTransaction) != 0;

    public bool IsIgnored => (Status & Ignored) != 0;
}
