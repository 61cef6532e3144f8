namespace Poolhouse.Http.Internal;

/// <summary>The body that a successful response has by the method of its request.</summary>
internal enum ExpectedBody : byte
{
    /// <summary>Content, possibly empty.</summary>
    Content,

    /// <summary>None (HEAD).</summary>
    None,

    /// <summary>The connection itself (CONNECT).</summary>
    Connection,
}
