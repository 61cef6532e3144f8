using System.Security.Cryptography;
using System.Text;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>Where the things that reading a file needs come from.</summary>
internal interface IFileKit
{
    byte[] TakeBytes(int length);

    void Give(byte[] bytes);

    char[] TakeChars(int length);

    void Give(char[] chars);

    StringBuilder TakeBuilder();

    void Give(StringBuilder builder);

    IncrementalHash TakeHash();

    void Give(IncrementalHash hash);
}
