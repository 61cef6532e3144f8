using System.Runtime.CompilerServices;
using System.Text;

namespace Zoo.Apps;

/// <summary>What is written into streams and texts.</summary>
internal static class Content
{
    private static readonly byte[] _page = new byte[4096];

    public static void WriteTo(Stream stream)
    {
        for (var page = 0; page < 15; page++)
        {
            stream.Write(_page);
        }
    }

    public static void WriteTo(StringBuilder text)
    {
        for (var line = 0; line < 200; line++)
        {
            text.Append("A line of forty letters, more or less..\n");
        }
    }
}

/// <summary>Keeps the compiler from removing what is not used.</summary>
internal static class Use
{
    private static int _sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Of(ReadOnlySpan<byte> bytes) => _sum += bytes[^1];
}
