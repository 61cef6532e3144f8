using System.Security.Cryptography;
using System.Text;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>Everything is created for each file.</summary>
internal readonly struct FreshKit : IFileKit
{
    public byte[] TakeBytes(int length) => new byte[length];

    public void Give(byte[] bytes)
    {
    }

    public char[] TakeChars(int length) => new char[length];

    public void Give(char[] chars)
    {
    }

    public StringBuilder TakeBuilder() => new();

    public void Give(StringBuilder builder)
    {
    }

    public IncrementalHash TakeHash() => IncrementalHash.CreateHash(HashAlgorithmName.SHA256);

    public void Give(IncrementalHash hash) => hash.Dispose();
}
