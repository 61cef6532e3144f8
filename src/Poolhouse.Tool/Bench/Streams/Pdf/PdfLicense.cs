using PdfSharp;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>PDFsharp wants to be told under which of its licences it is used.</summary>
internal static class PdfLicense
{
    private static readonly Lock _gate = new();
    private static bool _isChosen;

    /// <summary>Before anything else of PDFsharp is called.</summary>
    // AGPL-3.0, which is why the packed tool, being under the MIT licence, is built without all of this (see the project file).
    public static void Choose()
    {
        lock (_gate)
        {
            if (!_isChosen)
            {
                PdfSharpLicense.SetAgplLicense();
                _isChosen = true;
            }
        }
    }
}
