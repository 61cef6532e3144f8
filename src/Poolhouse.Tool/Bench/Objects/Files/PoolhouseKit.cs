using System.Security.Cryptography;
using System.Text;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>Everything is rented from Poolhouse.</summary>
internal readonly struct PoolhouseKit(
    TieredArrayPool<byte> bytes,
    TieredArrayPool<char> chars,
    TieredObjectPool<StringBuilder> builders,
    TieredObjectPool<IncrementalHash> hashes) : IFileKit
{
    public byte[] TakeBytes(int length) => bytes.Rent(length);

    public void Give(byte[] array) => bytes.Return(array);

    public char[] TakeChars(int length) => chars.Rent(length);

    public void Give(char[] array) => chars.Return(array);

    public StringBuilder TakeBuilder() => builders.Get();

    public void Give(StringBuilder builder) => builders.Return(builder);

    public IncrementalHash TakeHash() => hashes.Get();

    public void Give(IncrementalHash hash) => hashes.Return(hash);
}
