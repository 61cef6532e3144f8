using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>Reads a file, hashes it, takes the text out of its markup and counts the words.</summary>
internal static class FileReader
{
    public static long Read<TKit>(TKit kit, string path)
        where TKit : struct, IFileKit
    {
        using var file = File.OpenHandle(path);
        var length = (int)RandomAccess.GetLength(file);
        var bytes = kit.TakeBytes(length);
        var read = Fill(file, bytes.AsSpan(0, length));
        var hash = HashOf(kit, bytes.AsSpan(0, read));
        var chars = kit.TakeChars(Encoding.UTF8.GetMaxCharCount(read));
        var decoded = Encoding.UTF8.GetChars(bytes, 0, read, chars, 0);
        var builder = kit.TakeBuilder();
        AppendText(builder, chars.AsSpan(0, decoded));
        var words = CountWords(builder);
        kit.Give(builder);
        kit.Give(chars);
        kit.Give(bytes);
        return words ^ hash;
    }

    internal static void AppendText(StringBuilder builder, ReadOnlySpan<char> markup)
    {
        while (markup.Length > 0)
        {
            var open = markup.IndexOf('<');
            builder.Append(open < 0 ? markup : markup[..open]);
            var close = open < 0 ? -1 : markup[open..].IndexOf('>');
            markup = close < 0 ? [] : markup[(open + close + 1)..];
        }
    }

    internal static long CountWords(StringBuilder builder)
    {
        var words = 0L;
        var inWord = false;
        foreach (var chunk in builder.GetChunks())
        {
            foreach (var character in chunk.Span)
            {
                var isWord = char.IsLetterOrDigit(character);
                words += isWord && !inWord ? 1 : 0;
                inWord = isWord;
            }
        }

        return words;
    }

    private static int Fill(Microsoft.Win32.SafeHandles.SafeFileHandle file, Span<byte> bytes)
    {
        var read = 0;
        while (read < bytes.Length)
        {
            var more = RandomAccess.Read(file, bytes[read..], read);
            if (more == 0)
            {
                break;
            }

            read += more;
        }

        return read;
    }

    private static long HashOf<TKit>(TKit kit, ReadOnlySpan<byte> bytes)
        where TKit : struct, IFileKit
    {
        var hasher = kit.TakeHash();
        hasher.AppendData(bytes);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        hasher.GetHashAndReset(hash);
        kit.Give(hasher);
        return BinaryPrimitives.ReadInt64LittleEndian(hash);
    }
}
