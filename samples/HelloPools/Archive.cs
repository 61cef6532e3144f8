using System.IO.Compression;

namespace Poolhouse.Samples.HelloPools;

/// <summary>A third-party library that packs texts: it knows nothing about pools and requests the streams it needs.</summary>
internal sealed class Archive(Func<Stream> streams)
{
    public Stream Pack(IEnumerable<string> texts)
    {
        var packed = streams();
        using (var zip = new ZipArchive(packed, ZipArchiveMode.Create, leaveOpen: true))
        {
            foreach (var text in texts)
            {
                using var entry = new StreamWriter(zip.CreateEntry(text).Open());
                entry.Write(text);
            }
        }

        packed.Position = 0;
        return packed;
    }
}
