using System.Buffers;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>Everything is rented from .NET's own pools.</summary>
internal readonly struct BclKit(DefaultObjectPool<StringBuilder> builders, DefaultObjectPool<IncrementalHash> hashes) : IFileKit
{
    public byte[] TakeBytes(int length) => ArrayPool<byte>.Shared.Rent(length);

    public void Give(byte[] bytes) => ArrayPool<byte>.Shared.Return(bytes);

    public char[] TakeChars(int length) => ArrayPool<char>.Shared.Rent(length);

    public void Give(char[] chars) => ArrayPool<char>.Shared.Return(chars);

    public StringBuilder TakeBuilder() => builders.Get();

    public void Give(StringBuilder builder) => builders.Return(builder);

    public IncrementalHash TakeHash() => hashes.Get();

    public void Give(IncrementalHash hash) => hashes.Return(hash);
}
