using System.Text;

namespace Poolhouse.Samples.NativeAot;

/// <summary>FNV-1a over everything that the program saw: one number to compare two builds by.</summary>
internal sealed class Checksum
{
    private const ulong Prime = 1099511628211;

    public ulong Value { get; private set; } = 14695981039346656037;

    public void Add(string seen)
    {
        foreach (var each in Encoding.UTF8.GetBytes(seen))
        {
            Value = unchecked((Value ^ each) * Prime);
        }
    }
}
