using System.Buffers;
using System.Security.Cryptography;

namespace Poolhouse.Samples.StreamsApi;

internal static class Fingerprint
{
    /// <summary>The SHA-256 of some bytes, wherever they lie.</summary>
    public static string Of(in ReadOnlySequence<byte> bytes)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var block in bytes)
        {
            hash.AppendData(block.Span);
        }

        return Convert.ToHexStringLower(hash.GetHashAndReset());
    }
}
