using System.Security.Cryptography;
using System.Text;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>The source of the objects that reading a file needs.</summary>
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
