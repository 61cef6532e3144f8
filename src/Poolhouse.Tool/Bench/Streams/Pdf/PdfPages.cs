namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>The pages of a document in their order, with what they inherit from the nodes of the page tree above them.</summary>
internal sealed class PdfPages
{
    private const int DeepestTree = 100;

    private static readonly string[] _inheritable = ["/Resources", "/MediaBox", "/CropBox", "/Rotate"];

    private readonly PdfReader _file;
    private readonly List<(int Number, Inherited Inherited)> _pages = [];
    private readonly HashSet<int> _nodes = [];

    public PdfPages(PdfReader file)
    {
        _file = file;
        var root = PdfLexer.ReferenceIn(PdfLexer.Find(file.Read(file.Root).Value, "/Pages"u8))
            ?? throw new InvalidDataException("The document catalog names no pages.");
        Add(root, new Inherited(), depth: 0);
    }

    public int Count => _pages.Count;

    public int NumberOf(int index) => _pages[index].Number;

    /// <summary>Whether an object is a page or a node of the page tree.</summary>
    public bool Contains(int number) => _nodes.Contains(number);

    /// <summary>The attributes that a page inherits: pairs of a key and a value.</summary>
    public IEnumerable<(string Key, byte[] Value)> InheritedBy(int index) => _pages[index].Inherited.All;

    private void Add(int number, Inherited inherited, int depth)
    {
        if (depth > DeepestTree || !_nodes.Add(number))
        {
            throw new InvalidDataException("The page tree contains a page twice, or is too deep.");
        }

        var node = _file.Read(number).Value;
        var kids = PdfLexer.Find(node, "/Kids"u8);
        if (kids.IsEmpty)
        {
            _pages.Add((number, inherited));
            return;
        }

        // The text of the node is overwritten when its children are read.
        var own = inherited.With(node);
        foreach (var child in ReferencesIn(kids))
        {
            Add(child, own, depth + 1);
        }
    }

    private static List<int> ReferencesIn(ReadOnlySpan<byte> array)
    {
        var numbers = new List<int>();
        var lexer = new PdfLexer(array);
        lexer.Next();
        while (lexer.NextValue() is { IsEmpty: false } value && PdfLexer.ReferenceIn(value) is { } number)
        {
            numbers.Add(number);
        }

        return numbers;
    }

    /// <summary>Attributes of the page tree, by key.</summary>
    private sealed class Inherited
    {
        private readonly byte[]?[] _values = new byte[]?[_inheritable.Length];

        public IEnumerable<(string Key, byte[] Value)> All => _inheritable.Zip(_values).Where(pair => pair.Second is not null)!;

        public Inherited With(ReadOnlySpan<byte> node)
        {
            var result = new Inherited();
            for (var i = 0; i < _values.Length; i++)
            {
                var own = PdfLexer.Find(node, System.Text.Encoding.ASCII.GetBytes(_inheritable[i]));
                result._values[i] = own.IsEmpty ? _values[i] : own.ToArray();
            }

            return result;
        }
    }
}
